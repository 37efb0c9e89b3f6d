import { describe, expect, it } from 'vitest'
import { diffTree } from './diff.ts'
import { topTable } from './top.ts'
import { ATTRIBUTES } from '../model/attributes/semantic-conventions.ts'
import { ProfilesBuilder } from '../model/build/builder.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import { concat } from '../model/merge/concat.ts'
import { merge } from '../model/merge/merge.ts'
import type { SnapshotMode } from '../model/temporality/gauge-types.ts'
import { countedRows, countedTotal } from '../model/temporality/snapshots.ts'

interface Heap {
  readonly pod?: string
  readonly time: number
  /** The live bytes by function. */
  readonly live: Readonly<Record<string, number>>
  readonly type?: string
  readonly temporality?: string
  readonly timed?: boolean
}

function profileOf({ pod = 'a', time, live, type = 'inuse_space', temporality, timed = false }: Heap): Profiles {
  const b = new ProfilesBuilder()
  b.resource({ attributes: [{ key: 'pod', value: pod }], droppedAttributesCount: 0, entityRefs: [] })
  const attributes = temporality === undefined ? [] : [b.attribute(ATTRIBUTES.aggregationTemporality, temporality)]
  b.profile({ type, unit: 'bytes', timeUnixNano: BigInt(time), attributes })
  for (const [name, value] of Object.entries(live)) {
    const location = b.location({ lines: [{ function: b.function({ name }), line: 1 }] })
    const timestamps = timed ? { timestamps: [BigInt(time)] } : {}
    b.sample({ stack: b.stack([location]), values: [BigInt(value)], ...timestamps })
  }
  return b.build()
}

/** The self values by function, of all profiles together. */
function selfOf(profiles: Profiles, snapshots?: SnapshotMode): Record<string, number> {
  const rows = Array.from({ length: profiles.profiles.length }, (_, i) => i)
  const top = topTable(profiles, rows, snapshots === undefined ? {} : { snapshots })
  return Object.fromEntries(Array.from(top.frame, (frame, i) => [top.frames.name[frame], top.self[i]]))
}

const all = (heaps: readonly Heap[]): Profiles => concat(heaps.map(profileOf))

/** A minute of one instance. */
const MINUTE: readonly Heap[] = [
  { time: 100, live: { cache: 30, parse: 9 } },
  { time: 200, live: { cache: 60 } },
  { time: 300, live: { cache: 60, parse: 3 } },
]
const TWO_PODS: readonly Heap[] = [...MINUTE, ...MINUTE.map(heap => ({ ...heap, pod: 'b' }))]

describe('snapshots of one instance', () => {
  it('are averaged over time, by the table and the merge', () => {
    const average = { cache: 50, parse: 4 }
    expect(selfOf(all(MINUTE))).toEqual(average)
    const { profiles, notes } = merge(MINUTE.map(profileOf))
    expect(selfOf(profiles)).toEqual(average)
    expect(notes).toMatchObject([{ code: 'snapshots-averaged', count: 3 }])
  })

  it.each<[SnapshotMode, Record<string, number>]>([
    ['average', { cache: 50, parse: 4 }],
    ['latest', { cache: 60, parse: 3 }],
    ['maximum', { cache: 60, parse: 3 }],
    ['sum', { cache: 150, parse: 12 }],
  ])('combine as %s, with and without a merge, in any order', (mode, expected) => {
    for (const heaps of [MINUTE, MINUTE.toReversed()]) {
      expect(selfOf(all(heaps), mode)).toEqual(expected)
      expect(selfOf(merge(heaps.map(profileOf), { snapshots: mode }).profiles)).toEqual(expected)
      expect(countedTotal(all(heaps), [0, 1, 2], mode)).toBe(BigInt(expected['cache'] + expected['parse']))
    }
  })

  it('are averaged on both sides of a diff', () => {
    const side = { profiles: all(MINUTE), selection: [0, 1, 2] }
    const { sum, beforeSum } = diffTree(side, { ...side, selection: [2] })
    expect([beforeSum, sum]).toEqual([54n, 63n])
    expect(diffTree(side, side, { snapshots: 'maximum' }).sum).toBe(63n)
  })

  it('keep the sum of small values', () => {
    // Each of 10 functions is alive in one of 10 snapshots.
    const heaps = Array.from({ length: 10 }, (_, i) => ({ time: 100 * (i + 1), live: { [`f${i}`]: 1 } }))
    const sum = (profiles: Profiles): number => Object.values(selfOf(profiles)).reduce((a, b) => a + b, 0)
    expect(sum(all(heaps))).toBe(1)
    expect(sum(merge(heaps.map(profileOf)).profiles)).toBe(1)
  })

  it('lose the timestamps of samples if they are averaged', () => {
    const { profiles, notes } = merge(MINUTE.map(heap => profileOf({ ...heap, timed: true })))
    expect(selfOf(profiles)).toEqual({ cache: 50, parse: 4 })
    expect(profiles.samples.timestamps.length).toBe(0)
    expect(notes).toContainEqual(expect.objectContaining({ code: 'timestamps-averaged', count: 5 }))
  })
})

describe('snapshots of several instances', () => {
  it('are added up', () => {
    expect(selfOf(all(TWO_PODS))).toEqual({ cache: 100, parse: 8 })
    expect(selfOf(merge(TWO_PODS.map(profileOf)).profiles)).toEqual({ cache: 100, parse: 8 })
    const single = [profileOf(MINUTE[0]), profileOf({ ...MINUTE[1], pod: 'b' })]
    expect(selfOf(concat(single))).toEqual({ cache: 90, parse: 9 })
    expect(merge(single).notes).toEqual([])
    expect(countedRows(concat(single), [0, 1]).snapshots).toBeUndefined()
  })

  it('count by the share of time in which the instance is present', () => {
    // Three snapshots of a, then three of b: 4 and 3 of 7 intervals.
    const heaps = [0, 100, 200, 400, 500, 600].map((time, i) => ({
      pod: i < 3 ? 'a' : 'b',
      time: 1000 + time,
      live: { cache: 60 },
    }))
    // a is present from 1000 to 1300, b from 1400 to 1600.
    const expected = Math.round(60 * (300 / 600) + 60 * (200 / 600))
    expect(selfOf(all(heaps))).toEqual({ cache: expected })
    expect(selfOf(merge(heaps.map(profileOf)).profiles)).toEqual({ cache: expected })
  })
})

it('profiles of other types and cumulative profiles are not averaged', () => {
  const allocated = MINUTE.map(heap => ({ ...heap, type: 'alloc_space' }))
  expect(selfOf(all(allocated))).toEqual({ cache: 150, parse: 12 })
  const cumulative = MINUTE.map(heap => ({ ...heap, temporality: 'cumulative' }))
  expect(countedRows(all(cumulative), [0, 1, 2])).toMatchObject({ snapshots: undefined, factors: undefined })
})
