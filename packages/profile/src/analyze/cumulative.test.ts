import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topTable } from './top.ts'
import { profileSummary } from './summary.ts'
import { ATTRIBUTES } from '../model/attributes/semantic-conventions.ts'
import { ProfilesBuilder } from '../model/build/builder.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import { concat } from '../model/merge/concat.ts'
import { merge } from '../model/merge/merge.ts'
import type { Temporality } from '../model/temporality/cumulative-series.ts'
import { summableRows } from '../model/temporality/cumulative-series.ts'

interface Recorded {
  readonly service?: string
  readonly start: number
  readonly end: number
  readonly total: number
  readonly temporality?: Temporality
}

function profileOf({ service = 'shop', start, end, total, temporality = 'cumulative' }: Recorded): Profiles {
  const b = new ProfilesBuilder()
  b.resource({
    attributes: [{ key: 'service.name', value: service }],
    droppedAttributesCount: 0,
    entityRefs: [],
  })
  b.profile({
    type: 'alloc_space',
    unit: 'bytes',
    timeUnixNano: BigInt(start),
    durationNano: BigInt(end - start),
    attributes: [b.attribute(ATTRIBUTES.aggregationTemporality, temporality)],
  })
  const main = b.location({ lines: [{ function: b.function({ name: 'main' }), line: 1 }] })
  b.sample({ stack: b.stack([main]), values: [BigInt(total)] })
  return b.build()
}

/** The total of all profiles by the top table. */
function totalOf(profiles: Profiles): bigint {
  const rows = Array.from({ length: profiles.profiles.length }, (_, i) => i)
  return topTable(profiles, rows).sum
}

const sumOfMerged = (inputs: readonly Recorded[]): bigint => totalOf(merge(inputs.map(profileOf)).profiles)
const sumOfAll = (inputs: readonly Recorded[]): bigint => totalOf(concat(inputs.map(profileOf)))

const GROWING: readonly Recorded[] = [
  { start: 100, end: 110, total: 4 },
  { start: 100, end: 120, total: 6 },
  { start: 100, end: 130, total: 10 },
]

describe('cumulative profiles', () => {
  it('count once per start, in any order', () => {
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const inputs = order.map(i => GROWING[i])
      expect([sumOfMerged(inputs), sumOfAll(inputs)]).toEqual([10n, 10n])
    }
  })

  it('add up after a reset', () => {
    const inputs = [...GROWING.slice(0, 2), { start: 120, end: 125, total: 2 }]
    expect([sumOfMerged(inputs), sumOfAll(inputs)]).toEqual([8n, 8n])
    expect([sumOfMerged(inputs.toReversed()), sumOfAll(inputs.toReversed())]).toEqual([8n, 8n])
  })

  it('add up over several resources', () => {
    const inputs = [...GROWING, { service: 'cart', start: 100, end: 110, total: 5 }]
    expect([sumOfMerged(inputs), sumOfAll(inputs)]).toEqual([15n, 15n])
  })

  it('merge into one profile per start, which can be merged again', () => {
    const first = merge([...GROWING.slice(0, 2), { start: 120, end: 125, total: 2 }].map(profileOf))
    expect(first.notes.map(({ code, count }) => [code, count])).toEqual([
      ['kept-apart-start', 1],
      ['superseded', 1],
    ])
    const totals = [0, 1].map(i => profileSummary(first.profiles, i).total)
    expect(totals).toEqual([6n, 2n])
    expect(totalOf(merge([first.profiles, profileOf(GROWING[2])]).profiles)).toBe(12n)
  })

  it('cannot be added to delta profiles of the same series', () => {
    const mixed = concat([GROWING[0], { start: 110, end: 120, total: 1, temporality: 'delta' as const }].map(profileOf))
    expect(() => totalOf(mixed)).toThrow(
      'a series of alloc_space has both delta and cumulative profiles, which cannot be added up',
    )
  })

  it('add up with delta profiles of another series', () => {
    const delta = { service: 'cart', start: 110, end: 120, total: 1, temporality: 'delta' as const }
    expect(sumOfAll([...GROWING, delta, delta])).toBe(12n)
  })

  it('give the same sum in every order', () => {
    const recorded = fc.record({
      service: fc.constantFrom('a', 'b'),
      start: fc.constantFrom(100, 200, 300),
      end: fc.integer({ min: 301, max: 320 }),
      total: fc.integer({ min: 0, max: 1000 }),
    })
    const inOrder = fc
      .array(recorded, { minLength: 1, maxLength: 12 })
      .chain(list => fc.shuffledSubarray(list, { minLength: list.length }).map(other => ({ list, other })))
    fc.assert(
      fc.property(inOrder, ({ list, other }) => {
        const latest = new Map<string, Recorded>()
        for (const each of list) {
          const key = `${each.service} ${each.start}`
          const known = latest.get(key)
          if (known === undefined || each.end > known.end || (each.end === known.end && each.total > known.total))
            latest.set(key, each)
        }
        const expected = Array.from(latest.values(), ({ total }) => BigInt(total)).reduce((a, b) => a + b, 0n)
        expect([sumOfAll(list), sumOfAll(other), sumOfMerged(list), sumOfMerged(other)]).toEqual(
          Array.from({ length: 4 }, () => expected),
        )
      }),
      { numRuns: 50 },
    )
  })
})

describe('summableRows', () => {
  it('returns the given rows if no profile is cumulative', () => {
    const rows = [1, 0, 1]
    const deltas = concat([0, 1].map(i => profileOf({ start: i, end: i + 1, total: 1, temporality: 'delta' })))
    expect(summableRows(deltas, rows)).toBe(rows)
  })
})
