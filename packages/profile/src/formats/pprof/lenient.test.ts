// Tests for the lenient reading of truncated and damaged files.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentEqual } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { packedVarints, protoMessage } from '../../wire/testing/proto-message.ts'
import type { Note, ReadResult } from '../format.ts'
import { FormatError } from '../format.ts'
import { writeOtlp } from '../otlp/write.ts'
import { readPprof } from './read.ts'
import { fixtures, plainPprof } from './testing/fixtures.ts'

const lenient = (bytes: Uint8Array): ReadResult => readPprof(bytes, { lenient: true })
const counts = (notes: readonly Note[]): Record<string, number> =>
  Object.fromEntries(notes.map(({ code, count }) => [code, count]))
const texts = ({ dictionary }: Profiles, rows: readonly number[]): string[] =>
  rows.map(row => dictionary.strings.text(row as never))

const type = [1, protoMessage([1, 1], [2, 2])] as const
const strings = ['', 'cpu', 'ns', 'main', 'gone'].map(text => [6, text] as const)
const location = (id: number, fn: number): readonly [number, Uint8Array] => [
  4,
  protoMessage([1, id], [4, protoMessage([1, fn])]),
]
const sample = (ids: readonly number[], ...values: number[]): readonly [number, Uint8Array] => [
  2,
  protoMessage([1, packedVarints(...ids)], [2, packedVarints(...values)]),
]
const main = [5, protoMessage([1, 1], [2, 3])] as const

test.each(fixtures)('$name: an intact file reads the same with lenient', ({ bytes }) => {
  const strict = readPprof(bytes)
  expect(contentEqual(lenient(bytes).profiles, strict.profiles)).toBe(true)
  expect(lenient(bytes).notes).toEqual(strict.notes)
})

describe('a truncated file', () => {
  test('yields the complete fields before the cut and reports how many bytes are missing', () => {
    const whole = protoMessage(type, sample([1], 5), main, location(1, 1), ...strings)
    const cut = new Uint8Array([...whole, 0x12, 40, 0x0a, 1, 1])
    expect(() => readPprof(cut)).toThrow(FormatError)
    const { profiles, notes } = lenient(cut)
    expect(contentEqual(profiles, readPprof(whole).profiles)).toBe(true)
    expect(counts(notes)).toEqual({ truncated: 5 })
    expect(notes[0].message).toContain(`at byte ${whole.length + 1}`)
  })

  test('without its string table yields unnamed entries and a note', () => {
    const { profiles, notes } = lenient(protoMessage(type, sample([1], 5), main, location(1, 1)))
    expect(profiles.samples.length).toBe(1)
    expect(texts(profiles, [profiles.profiles.type(0), profiles.profiles.unit(0)])).toEqual(['', ''])
    // The missing strings are the type, its unit and the function.
    expect(counts(notes)).toEqual({ 'no-strings': 1, 'missing-strings': 3 })
  })

  test('without the end of its string table yields the names that are present', () => {
    const { profiles, notes } = lenient(
      protoMessage(type, sample([1], 5), main, location(1, 1), ...strings.slice(0, 3)),
    )
    expect(texts(profiles, [profiles.profiles.type(0), profiles.profiles.unit(0)])).toEqual(['cpu', 'ns'])
    expect(counts(notes)).toEqual({ 'missing-strings': 1 })
  })

  test('loses the samples whose locations are missing', () => {
    const label = [3, protoMessage([1, 3], [2, 4])] as const
    const labelled = [2, protoMessage([1, packedVarints(2)], [2, packedVarints(7)], label)] as const
    const bytes = protoMessage(
      type,
      sample([1, 3], 5),
      labelled,
      sample([9], 1),
      sample([2], 8),
      location(1, 1),
      location(2, 1),
      main,
      ...strings,
    )
    const { profiles, notes } = lenient(bytes)
    expect(counts(notes)).toEqual({ 'skipped-samples': 2 })
    expect([...profiles.samples.values.signed()]).toEqual([7n, 8n])
    expect(profiles.samples.stack(0)).toBe(profiles.samples.stack(1))
    expect(profiles.samples.attributesOf(0)).toHaveLength(1)
    expect(profiles.samples.attributesOf(1)).toHaveLength(0)
    expect(findBadReference(profiles)).toBeUndefined()
  })

  test('loses the samples whose number of values differs from the number of types', () => {
    const { profiles, notes } = lenient(protoMessage(type, sample([], 1, 2), sample([], 3), sample([]), ...strings))
    expect(counts(notes)).toEqual({ 'skipped-samples': 2 })
    expect([...profiles.samples.values.signed()]).toEqual([3n])
  })

  test('with lines of missing functions gets the same note as without lenient', () => {
    const { notes } = lenient(protoMessage(type, sample([1], 5), location(1, 1), ...strings))
    expect(counts(notes)).toEqual({ 'missing-function': 1 })
  })

  test('above 1 MB is read as well', () => {
    const long = [6, 'x'.repeat(1 << 20)] as const
    const whole = protoMessage(type, sample([1], 5), main, location(1, 1), ...strings, long)
    const { profiles, notes } = lenient(new Uint8Array([...whole, 0x32, 0xff]))
    expect(contentEqual(profiles, readPprof(whole).profiles)).toBe(true)
    expect(counts(notes)).toEqual({ truncated: 2 })
  })
})

describe('a damaged file', () => {
  test('can begin its strings with one that is not empty', () => {
    const { profiles, notes } = lenient(protoMessage(type, [6, 'x'], ...strings.slice(1)))
    expect(counts(notes)).toEqual({ 'first-string': 1 })
    expect(texts(profiles, [0])).toEqual([''])
  })

  test('can use an id twice; the first entry counts', () => {
    const other = [5, protoMessage([1, 1], [2, 4])] as const
    const { profiles, notes } = lenient(protoMessage(type, sample([1], 5), main, other, location(1, 1), ...strings))
    expect(counts(notes)).toEqual({ 'unusable-ids': 1 })
    const { functions, locations, stacks } = profiles.dictionary
    const line = locations.linesFrom(stacks.locations.at(stacks.from(profiles.samples.stack(0))))
    expect(texts(profiles, [functions.name(locations.lines.function(line))])).toEqual(['main'])
  })

  test('is rejected if nothing can be read or if it holds two files', () => {
    expect(() => lenient(protoMessage(...strings))).toThrow('there is no sample type')
    expect(() => lenient(new Uint8Array([...plainPprof(), ...plainPprof()]))).toThrow('a second profile begins')
  })
})

test('a file truncated anywhere yields valid profiles that can be written', () => {
  const files = fixtures.map(({ bytes }) => bytes)
  fc.assert(
    fc.property(fc.constantFrom(...files), fc.double({ min: 0, max: 1, noNaN: true }), (bytes, share) => {
      const cut = bytes.subarray(0, Math.floor(share * bytes.length))
      try {
        const { profiles } = lenient(cut)
        expect(findBadReference(profiles)).toBeUndefined()
        writeOtlp(profiles)
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError)
        // Nothing is left if the cut is before the first type, or before every location of the samples.
        expect(String(error)).toMatch(/there is no sample type|that is not in the file/)
      }
    }),
    { numRuns: 300 },
  )
})
