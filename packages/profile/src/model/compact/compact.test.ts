import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LocationIndex, StackIndex, StringIndex } from '../columns/brand.ts'
import { ProfilesBuilder } from '../build/builder.ts'
import { compact } from './compact.ts'
import { difference } from '../compare/content-equal.ts'
import type { Profiles } from '../columns/profiles.ts'
import { arbitraryProfiles } from '../testing/arbitrary-profiles.ts'
import { richProfiles } from '../testing/rich-profiles.ts'
import { scatter } from '../testing/scatter.ts'
import { tidiness } from '../testing/tidiness.ts'

const scattered = fc
  .tuple(arbitraryProfiles({ repeats: true }), fc.integer())
  .map(([profiles, n]) => scatter(profiles, n))

/** Several thousand stacks over a few hundred locations, so that indexes of one, two and three bytes occur. */
function manyStacks(): Profiles {
  const b = new ProfilesBuilder()
  const locations: LocationIndex[] = []
  for (let i = 0; i < 300; i++) {
    // The second attribute is used far more often, so the two swap places.
    const attributes = [b.attribute('place', BigInt(i % 180)), b.attribute('all', true)]
    locations.push(
      b.location({ address: i, lines: [{ function: b.function({ name: `f${i % 200}` }), line: i }], attributes }),
    )
  }
  b.profile({ type: 'cpu', unit: 'ns' })
  for (let i = 0; i < 17_000; i++) {
    const stack = b.stack([locations[i % 7], locations[i % 299], locations[Math.floor(i / 299)], locations[299]])
    // Later stacks are used more often.
    for (let k = 0; k <= (i > 16_900 ? 2 : 0); k++) {
      b.sample({
        stack,
        values: [i],
        attributes: [b.attribute('thread', BigInt(i % 150)), b.attribute('all', k === 0)],
      })
    }
  }
  return b.build()
}

describe('compact', () => {
  test('preserves the content', () => {
    fc.assert(
      fc.property(scattered, profiles => {
        expect(difference(profiles, compact(profiles))).toBeUndefined()
      }),
    )
  })

  test('leaves no duplicates or orphans, and sorts attribute lists', () => {
    fc.assert(
      fc.property(scattered, profiles => {
        expect(tidiness(compact(profiles))).toEqual([])
      }),
    )
  })

  test('preserves the order of samples', () => {
    fc.assert(
      fc.property(scattered, profiles => {
        const { samples } = compact(profiles)
        expect(Array.from(samples.values.signed())).toEqual(Array.from(profiles.samples.values.signed()))
        expect(Array.from(samples.timestamps.unsigned())).toEqual(Array.from(profiles.samples.timestamps.unsigned()))
        for (let i = 0; i < samples.length; i++) {
          expect(samples.valuesTo(i)).toBe(profiles.samples.valuesTo(i))
          expect(samples.timestampsTo(i)).toBe(profiles.samples.timestampsTo(i))
        }
      }),
    )
  })

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(scattered, profiles => {
        const once = compact(profiles)
        expect(once.compacted).toBe(true)
        expect(compact(once)).toBe(once)
        expect(columns(compact({ ...once, compacted: false }))).toEqual(columns(once))
      }),
    )
  })

  test('compacts the rich example profile', () => {
    const compacted = compact(scatter(richProfiles(), 1))
    expect(difference(compacted, richProfiles())).toBeUndefined()
    expect(tidiness(compacted)).toEqual([])
    expect(compacted.dictionary.locations.length).toBe(4)
    expect(compacted.dictionary.mappings.length).toBe(2)
    expect(compacted.dictionary.links.length).toBe(2)
    expect(compacted.dictionary.functions.length).toBe(4)
  })

  test('compacts an empty set of profiles', () => {
    const nothing = compact(new ProfilesBuilder().build())
    expect(nothing.profiles.length).toBe(0)
    expect(nothing.dictionary.strings.length).toBe(1)
    expect(nothing.emptyTables).toEqual([])
  })

  test('does not depend on earlier calls', () => {
    const first = compact(scatter(richProfiles(), 2))
    const large = compact(manyStacks())
    expect(difference(first, richProfiles())).toBeUndefined()
    expect(difference(compact(scatter(richProfiles(), 3)), first)).toBeUndefined()
    expect(difference(large, manyStacks())).toBeUndefined()
  })
})

describe('compact with indexes of several bytes', () => {
  const original = manyStacks()
  const compacted = compact(scatter(original, 5))

  test('preserves the content and leaves no duplicates or orphans', () => {
    expect(difference(original, compacted)).toBeUndefined()
    expect(tidiness(compacted)).toEqual([])
    expect(compacted.dictionary.stacks.length).toBe(17_001)
    expect(compacted.dictionary.locations.length).toBe(301)
  })

  test('changes nothing the second time', () => {
    expect(columns(compact({ ...compacted, compacted: false }))).toEqual(columns(compacted))
  })

  test('gives the most used rows the shortest indexes', () => {
    const { samples, dictionary } = compacted
    const uses = new Map<number, number>()
    for (let i = 0; i < samples.length; i++) uses.set(samples.stack(i), (uses.get(samples.stack(i)) ?? 0) + 1)
    const often = [...uses].filter(([, count]) => count === 3)
    expect(often.length).toBe(99)
    expect(Math.max(...often.map(([stack]) => stack))).toBeLessThan(128)
    const named = new Int32Array(dictionary.locations.length)
    for (let k = 0; k < dictionary.stacks.locations.length; k++) named[dictionary.stacks.locations.at(k)]++
    const short = Math.min(...named.subarray(1, 128))
    expect(Math.max(...named.subarray(128))).toBeLessThanOrEqual(short)
    // This location is in every stack, so it is among the first.
    expect(named.subarray(1, 128)).toContain(17_000)
  })
})

test('compact does not count duplicates as uses', () => {
  const b = new ProfilesBuilder()
  const locations = Array.from({ length: 150 }, (_, i) => b.location({ address: i + 1 }))
  b.profile({ type: 'cpu', unit: 'ns' })
  const samples = (stack: StackIndex): void => b.sample({ stack, values: [1] })
  for (let i = 0; i < 149; i++) samples(b.stack([locations[i], locations[(i + 1) % 149]]))
  for (let i = 0; i < 149; i++) samples(b.stack([locations[149], locations[i], locations[149]]))
  const profiles = b.build()
  // All stacks with the last location become equal.
  const { ints, base, length } = profiles.dictionary.stacks.locations
  for (let k = 298; k < length; k += 3) ints[base + k + 1] = locations[0]
  const { locations: compacted, stacks } = compact(profiles).dictionary
  expect(stacks.length).toBe(151)
  expect(compacted.address(150 as LocationIndex)).toBe(150n)
})

test('compact keeps stacks with equal hashes apart', () => {
  // Among 200,000 32-bit hashes, about five pairs are equal.
  const b = new ProfilesBuilder()
  const locations = Array.from({ length: 500 }, (_, i) => b.location({ address: i }))
  b.profile({ type: 'cpu', unit: 'ns' })
  for (let i = 0; i < 200_000; i++) {
    b.draft.values.push(1)
    b.draft.values.push(0)
    b.sampleRow(b.stack([locations[i % 500], locations[Math.floor(i / 500)]]), 0)
  }
  expect(compact(b.build()).dictionary.stacks.length).toBe(200_001)
})

test('compact preserves a row 0 that is not zero', () => {
  const b = new ProfilesBuilder()
  b.profile({ type: '', unit: 'ns' })
  b.sample({ stack: b.stack([]), values: [1] })
  const profiles = b.build()
  const { ints, base } = profiles.dictionary.strings
  const unit = profiles.profiles.unit(0)
  ints[base] = ints[base + 2 * unit]
  ints[base + 1] = ints[base + 2 * unit + 1]
  const compacted = compact(profiles)
  expect(compacted.dictionary.strings.text(compacted.profiles.type(0))).toBe('ns')
  expect(compacted.dictionary.strings.text(0 as StringIndex)).toBe('')
})

function columns({ dictionary, profiles, samples }: Profiles): unknown {
  const of = (table: { ints: Int32Array; base: number; length: number }, stride: number): number[] =>
    Array.from(table.ints.subarray(table.base, table.base + table.length * stride))
  return [
    of(dictionary.strings, 2),
    of(dictionary.functions, 5),
    of(dictionary.mappings, 8),
    of(dictionary.mappings.attributes, 1),
    of(dictionary.locations, 5),
    of(dictionary.locations.lines, 5),
    of(dictionary.locations.attributes, 1),
    of(dictionary.stacks, 1),
    of(dictionary.stacks.locations, 1),
    of(dictionary.links, 4),
    of(dictionary.attributes, 5),
    of(profiles, 19),
    of(profiles.attributes, 1),
    of(samples, 5),
    of(samples.attributes, 1),
  ]
}
