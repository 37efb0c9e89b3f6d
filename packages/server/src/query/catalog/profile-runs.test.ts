import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunRange, StepSum } from './profile-runs.ts'
import { HOUR, ProfileRuns, boundsOf } from './profile-runs.ts'

interface Profile {
  readonly form: number
  readonly time: bigint
  readonly received: bigint
  readonly total: bigint
}

const time = fc.bigInt(0n, 3n * HOUR)
const profile: fc.Arbitrary<Profile> = fc.record({
  form: fc.nat(2),
  time,
  received: time,
  total: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
})
const range = fc.tuple(time, time, fc.option(time, { nil: undefined })).map(([a, b, receivedBefore]) => ({
  from: a < b ? a : b,
  to: a < b ? b : a,
  receivedBefore,
}))

function runsOf(profiles: readonly Profile[]): ProfileRuns {
  const words = (of: (profile: Profile) => bigint) => new Int32Array(BigInt64Array.from(profiles, of).buffer)
  const [first, received] = [words(each => each.time), words(each => each.received)]
  const total = words(each => each.total)
  const columns = { first, last: first, receivedFirst: received, receivedLast: received, total }
  const runs = new ProfileRuns()
  for (const [row, { form }] of profiles.entries()) runs.add(form, 1, row, columns)
  return runs
}

function inRange(profiles: readonly Profile[], { from, to, receivedBefore }: RunRange): Profile[] {
  return profiles.filter(
    each => each.time >= from && each.time < to && (receivedBefore === undefined || each.received < receivedBefore),
  )
}

// More than two blocks, so that a range contains blocks, cuts blocks, and leaves some outside.
const profiles = fc.array(profile, { maxLength: 200, size: 'max' })

describe('ProfileRuns', () => {
  it('finds the profiles of a range by form, also across blocks', () => {
    fc.assert(
      fc.property(profiles, range, (all, within) => {
        const expected = new Map<number, { profiles: number; first: bigint; last: bigint }>()
        for (const { form, time: at } of inRange(all, within)) {
          const known = expected.get(form) ?? { profiles: 0, first: at, last: at }
          const [first, last] = [at < known.first ? at : known.first, at > known.last ? at : known.last]
          expected.set(form, { profiles: known.profiles + 1, first, last })
        }
        expect(runsOf(all).within(boundsOf(within))).toEqual(expected)
      }),
    )
  })

  it('adds totals by step exactly', () => {
    fc.assert(
      fc.property(profiles, range, fc.integer({ min: 1, max: Number(HOUR) }), (all, within, step) => {
        const expected = new Map<number, bigint>()
        for (const { form, time: at, total } of inRange(all, within)) {
          const number = Number((at - within.from) / BigInt(step))
          if (form !== 1) expected.set(number, (expected.get(number) ?? 0n) + total)
        }
        const sums = new Map<number, StepSum>()
        expect(runsOf(all).addTotals({ range: within, step, isSelected: form => form !== 1 }, sums)).toBe(true)
        const found = [...sums].map(([number, { low, high }]) => [number, (BigInt(high) << 32n) + BigInt(low)] as const)
        expect(new Map(found)).toEqual(expected)
      }),
    )
  })

  it('has no totals of merged runs, and no part of them', () => {
    const at = (nanos: bigint): Profile => ({ form: 0, time: nanos, received: 0n, total: 5n })
    const runs = runsOf([at(1n), at(2n), at(HOUR)])
    runs.coarsen(HOUR)
    const everything = { from: 0n, to: 2n * HOUR, receivedBefore: undefined }
    expect(runs.within(boundsOf(everything))?.get(0)?.profiles).toBe(3)
    expect(runs.within(boundsOf({ ...everything, from: 2n }))).toBeUndefined()
    expect(runs.addTotals({ range: everything, step: 10, isSelected: () => true }, new Map())).toBe(false)
  })
})
