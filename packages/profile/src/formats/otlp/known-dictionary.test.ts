import { describe, expect, it } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { difference } from '../../model/compare/content-equal.ts'
import { richProfiles } from '../../model/testing/rich-profiles.ts'
import { KnownSymbols } from '../known-symbols.ts'
import { encodeOtlp } from './encode.ts'
import { readOtlp } from './read.ts'

const newSymbols = (): KnownSymbols =>
  new KnownSymbols({ equal: (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]) })

/** The same dictionary for each value, with other profiles and samples. */
function example(value: bigint, service = 'shop', count = 1): Profiles {
  const builder = new ProfilesBuilder()
  const stacks = ['main', 'run', 'gc'].map(name => {
    const location = builder.location({ address: 5n, lines: [{ function: builder.function({ name }), line: 3n }] })
    return builder.stack([location])
  })
  const attributes = [builder.attribute('thread', 'one'), builder.attribute('cpu', 1n)]
  builder.resource({ attributes: [{ key: 'service.name', value: service }] })
  for (let p = 0; p < count; p++) {
    builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: value, attributes: [attributes[p % 2]] })
    for (const stack of stacks) builder.sample({ stack, attributes, values: [value + BigInt(p)] })
  }
  return builder.build()
}

describe('readOtlp with known symbols', () => {
  it('returns the same profiles as without them', () => {
    const symbols = newSymbols()
    const origins = new Set<object>()
    for (const count of [1, 1, 1, 3, 2000, 1]) {
      const bytes = encodeOtlp(example(BigInt(count) + 7n, `shop ${count}`, count))
      const { profiles, notes, generation } = readOtlp(bytes, { symbols })
      const plain = readOtlp(bytes)
      expect(difference(profiles, plain.profiles)).toBeUndefined()
      expect({ notes, generation }).toEqual({ notes: plain.notes, generation: plain.generation })
      if (profiles.dictionary.origin !== undefined) origins.add(profiles.dictionary.origin)
    }
    expect(origins.size).toBe(1)
    const rich = encodeOtlp(richProfiles())
    for (let i = 0; i < 4; i++)
      expect(difference(readOtlp(rich, { symbols }).profiles, readOtlp(rich).profiles)).toBeUndefined()
  })

  it('reports errors of messages with a known dictionary', () => {
    const symbols = newSymbols()
    const good = encodeOtlp(example(1n))
    for (let i = 0; i < 3; i++) readOtlp(good, { symbols })
    const [plain, known] = [{}, { symbols }].map(options =>
      Array.from({ length: good.length }, (_, at) => {
        const bad = Uint8Array.from(good)
        bad[at] ^= 0x7f
        try {
          return readOtlp(bad, options).notes
        } catch (error) {
          return String(error)
        }
      }),
    )
    expect(known).toEqual(plain)
  })

  it('rejects single profiles of a message with a known dictionary', () => {
    const symbols = newSymbols()
    const readTwice = (bytes: Uint8Array): readonly [Profiles, number] => {
      let rejected = 0
      const { profiles } = readOtlp(bytes, { symbols, onRejectedProfile: () => rejected++ })
      return [profiles, rejected]
    }
    const good = encodeOtlp(example(1n, 'shop', 2))
    for (let i = 0; i < 3; i++) expect(readTwice(good)[1]).toBe(0)
    const bad = Uint8Array.from(good)
    // The first sample of the last profile refers to a stack that does not exist.
    const samples = findAll(good, [0x08, 0x01, 0x12])
    bad[samples[samples.length - 1] + 1] = 0x77
    const [profiles, rejected] = readTwice(bad)
    expect([profiles.profiles.length, rejected]).toEqual([1, 1])
  })
})

function findAll(bytes: Uint8Array, part: readonly number[]): number[] {
  return Array.from(bytes.keys()).filter(at => part.every((byte, i) => bytes[at + i] === byte))
}
