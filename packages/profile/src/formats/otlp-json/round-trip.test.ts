import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { richProfiles } from '../../model/testing/rich-profiles.ts'
import { scatter } from '../../model/testing/scatter.ts'
import { readOtlp } from '../otlp/read.ts'
import type { Generation } from '../otlp/generations/schema.ts'
import { GENERATIONS } from '../otlp/generations/schema.ts'
import { encodeGeneration } from '../otlp/testing/encode-generation.ts'
import { writeOtlp } from '../otlp/write.ts'
import { readOtlpJson } from './read.ts'
import type { GenerationJsonOptions } from './testing/generation-json.ts'
import { generationJson } from './testing/generation-json.ts'
import { writeOtlpJson } from './write.ts'

const RUNS = 40

/** The detected generation of v1.8 and later JSON. v1.9 and v1.11 have the same JSON. */
function nameOf(generation: Generation): string {
  return generation === 'v1.9' ? 'v1.11' : generation
}

describe('writeOtlpJson and readOtlpJson', () => {
  test('preserve every field', () => {
    const profiles = richProfiles()
    const { bytes, notes } = writeOtlpJson(profiles)
    expect(notes).toEqual([])
    const again = readOtlpJson(bytes)
    expect(difference(again.profiles, profiles)).toBeUndefined()
    expect(again.notes).toEqual([])
    expect(again.generation).toBe('v1.11')
  })

  test('preserve random profiles, from protobuf to JSON and back', () => {
    fc.assert(
      fc.property(arbitraryProfiles({ repeats: true }), fc.boolean(), (profiles, pretty) => {
        const fromProtobuf = readOtlp(writeOtlp(profiles).bytes).profiles
        const again = readOtlpJson(writeOtlpJson(fromProtobuf, { pretty }).bytes)
        expect(difference(again.profiles, profiles)).toBeUndefined()
        expect(again.notes).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('give output of the same length when written again', () => {
    fc.assert(
      fc.property(arbitraryProfiles(), fc.integer(), (profiles, seed) => {
        const once = writeOtlpJson(scatter(profiles, seed)).bytes
        const twice = writeOtlpJson(readOtlpJson(once).profiles).bytes
        expect(difference(readOtlpJson(twice).profiles, profiles)).toBeUndefined()
        expect(twice.length).toBe(once.length)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('readOtlpJson returns the same profiles as readOtlp', () => {
  const spellings: readonly GenerationJsonOptions[] = [{}, { numbers: true, capitals: true, indent: 1 }]

  function check(profiles: Profiles, generation: Generation, options: GenerationJsonOptions): string {
    const protobuf = encodeGeneration(profiles, generation)
    const expected = readOtlp(protobuf, { generation })
    const bytes = generationJson(protobuf, generation, options)
    const json = readOtlpJson(bytes)
    expect(difference(json.profiles, expected.profiles)).toBeUndefined()
    expect(json.notes).toEqual(expected.notes)
    const named = readOtlpJson(bytes, { generation })
    expect(named.generation).toBe(generation)
    expect(difference(named.profiles, expected.profiles)).toBeUndefined()
    return json.generation
  }

  for (const generation of GENERATIONS) {
    test(`for every field of ${generation}`, () => {
      for (const options of spellings) expect(check(richProfiles(), generation, options)).toBe(nameOf(generation))
    })

    // Without samples or attributes there may be nothing that distinguishes generations, and no need to.
    test(`for random profiles of ${generation}`, () => {
      fc.assert(
        fc.property(arbitraryProfiles(), fc.constantFrom(...spellings), (profiles, options) => {
          check(profiles, generation, options)
        }),
        { numRuns: 12 },
      )
    })
  }
})
