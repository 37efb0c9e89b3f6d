// Lenient reading of broken files: intact parts are kept, dangling references are dropped, and notes report it.
import { describe, expect, test } from 'vitest'
import { difference } from '../../../model/compare/content-equal.ts'
import { compact } from '../../../model/compact/compact.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import { findBadReference } from '../../../model/validate/references.ts'
import { packedVarints, protoMessage as message } from '../../../wire/testing/proto-message.ts'
import type { Format, ReadResult } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { fuzz } from '../../testing/fuzz.ts'
import { encodeOtlp } from '../encode.ts'
import { otlp } from '../index.ts'
import { readOtlp } from '../read.ts'
import { fixtures } from '../testing/fixtures.ts'
import { framed } from '../testing/framed.ts'

const none = new Uint8Array(0)
const lenient = (bytes: Uint8Array, generation = 'v1.11'): ReadResult => readOtlp(bytes, { lenient: true, generation })

function countsOf({ notes }: ReadResult): Record<string, number> {
  return Object.fromEntries(notes.map(({ code, count }) => [code, count]))
}

/** Rows of the tables by field number, after zero rows. */
function dictionary(rows: Readonly<Record<number, readonly (Uint8Array | string)[]>>): Uint8Array {
  return message(
    ...[1, 2, 3, 4, 5, 6, 7].flatMap(field => [none, ...(rows[field] ?? [])].map(row => [field, row] as const)),
  )
}

function profileOf(...samples: readonly Uint8Array[]): Uint8Array {
  return message([1, message([2, message([2, message([1, message([1, 1])], ...samples.map(s => [2, s] as const))])])])
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap(part => [...part]))
}

const TABLES: Readonly<Record<number, readonly (Uint8Array | string)[]>> = {
  1: [message([4, 3])],
  2: [message([1, 1], [3, message([1, 1])])],
  3: [message([1, 2])],
  4: [message([1, new Uint8Array(16).fill(1)], [2, new Uint8Array(8).fill(1)])],
  5: ['cpu', 'main', 'a.out'],
  6: [message([1, 1], [2, message([1, 'on'])])],
  7: [message([1, packedVarints(1)])],
}
/** Stack, attribute and link 1. */
const SAMPLE = message([1, 1], [2, packedVarints(1)], [3, 1], [4, packedVarints(7)])

function expectSound(profiles: Profiles): void {
  expect(findBadReference(profiles)).toBeUndefined()
  encodeOtlp(compact(profiles))
}

describe('lenient reading of a truncated file', () => {
  const tables = message([2, dictionary(TABLES)])

  test('keeps the complete samples', () => {
    const samples = profileOf(SAMPLE, SAMPLE, SAMPLE)
    const whole = joined(tables, samples)
    expect(lenient(whole).notes).toEqual([])
    for (const [missing, left] of [
      [1, 2],
      [SAMPLE.length, 2],
      [SAMPLE.length + 2, 2],
      [SAMPLE.length + 3, 1],
      [3 * (SAMPLE.length + 2), 0],
    ]) {
      const cut = whole.subarray(0, whole.length - missing)
      expect(() => readOtlp(cut, { generation: 'v1.11' })).toThrow(FormatError)
      const result = lenient(cut)
      expect(result.profiles.samples.length).toBe(left)
      expect(result.profiles.profiles.length).toBe(1)
      expect(countsOf(result)).toEqual({ truncated: 1 })
      const at = whole.length - (3 - left) * (SAMPLE.length + 2)
      expect(result.notes[0].message).toContain(`truncated at byte ${at} (length `)
    }
  })

  test('keeps the profiles and scopes before the truncated one', () => {
    const whole = joined(tables, profileOf(SAMPLE), profileOf(SAMPLE))
    const { profiles } = lenient(whole.subarray(0, whole.length - SAMPLE.length - 4))
    expect([profiles.resources.length, profiles.samples.length]).toEqual([2, 1])
  })

  test('drops samples that need a missing dictionary', () => {
    const samples = profileOf(SAMPLE, message([4, packedVarints(1)]), SAMPLE)
    const whole = joined(samples, message([2, dictionary(TABLES)]))
    const result = lenient(whole.subarray(0, samples.length + 1))
    expect(result.profiles.samples.length).toBe(1)
    // The type of the profile is a string.
    expect(countsOf(result)).toEqual({ truncated: 1, 'skipped-samples': 2, 'skipped-references': 1 })
    expect(result.notes.find(({ code }) => code === 'truncated')!.message).toMatch(/; the dictionary is missing$/)
  })

  test('keeps the complete rows of the dictionary', () => {
    const stacksLast = message([2, dictionary({ ...TABLES, 7: [TABLES[7][0], message([1, packedVarints(1, 1)])] })])
    const whole = joined(profileOf(SAMPLE, message([1, 2], [4, packedVarints(1)])), stacksLast)
    const result = lenient(whole.subarray(0, whole.length - 1))
    expect(result.profiles.samples.length).toBe(1)
    expect(countsOf(result)).toEqual({ truncated: 1, 'skipped-samples': 1 })
  })

  test('reads the intact part of the last frame', () => {
    const rich = encodeOtlp(richProfiles())
    const whole = framed(rich, joined(tables, profileOf(SAMPLE, SAMPLE)))
    const first = readOtlp(rich).profiles.samples.length
    const result = lenient(whole.subarray(0, whole.length - 1))
    expect(result.profiles.samples.length).toBe(first + 1)
    expect(countsOf(result)).toEqual({ truncated: 1 })
    const withoutSecond = lenient(whole.subarray(0, rich.length + 6))
    expect(difference(withoutSecond.profiles, richProfiles())).toBeUndefined()
    expect(countsOf(withoutSecond)).toEqual({ truncated: 1 })
    const between = lenient(whole.subarray(0, rich.length + 8 + tables.length))
    expect(between.notes).toMatchObject([
      { code: 'truncated', message: expect.stringContaining('between two') as string },
    ])
    expect(() => lenient(whole.subarray(0, 4))).toThrow('runs past the end of the file (0 bytes left)')
  })

  test.each(fixtures)('returns valid profiles for $name truncated anywhere', ({ bytes }) => {
    const step = Math.max(1, Math.floor(bytes.length / 120))
    for (let end = 8; end < bytes.length; end += step) {
      const { profiles, notes } = readOtlp(bytes.slice(0, end), { lenient: true })
      expectSound(profiles)
      try {
        readOtlp(bytes.slice(0, end))
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError)
        expect(notes.length).toBeGreaterThan(0)
      }
    }
  })

  test('keeps complete profiles with their own tables in an older generation', () => {
    const { bytes } = fixtures.find(({ name }) => name === 'rich, v1.5')!
    const whole = readOtlp(bytes).profiles
    const { profiles, generation } = readOtlp(bytes.subarray(0, bytes.length >> 1), { lenient: true })
    expect(generation).toBe('v1.5')
    expect(profiles.samples.length).toBeGreaterThan(0)
    expect(profiles.samples.length).toBeLessThan(whole.samples.length)
  })
})

describe('lenient reading of a file with broken content', () => {
  const broken = (
    samples: readonly Uint8Array[],
    rows: Readonly<Record<number, readonly (Uint8Array | string)[]>> = {},
  ) => joined(profileOf(...samples), message([2, dictionary({ ...TABLES, ...rows })]))
  const wrongType = message([1, none])

  test.each([
    ['a malformed sample', broken([SAMPLE, wrongType, SAMPLE]), { 'skipped-samples': 1 }, 2],
    ['a missing stack', broken([SAMPLE, message([1, 9], [4, packedVarints(1)])]), { 'skipped-samples': 1 }, 1],
    ['a negative stack', broken([SAMPLE, message([1, -1], [4, packedVarints(1)])]), { 'skipped-samples': 1 }, 1],
    [
      'a missing location',
      broken([SAMPLE], { 7: [message([1, packedVarints(1, 5)])] }),
      { 'skipped-samples': 1, 'skipped-references': 1 },
      0,
    ],
    [
      'a missing function',
      broken([SAMPLE], { 2: [message([3, message([1, 9])], [3, message([1, 1])])] }),
      { 'skipped-references': 1 },
      1,
    ],
    ['a missing string', broken([SAMPLE], { 3: [message([1, 99])] }), { 'skipped-references': 1 }, 1],
    [
      'an attribute without its key',
      broken([SAMPLE], { 6: [message([1, 99], [2, message([1, 'on'])])] }),
      // The row, and the sample's reference to it.
      { 'skipped-references': 2 },
      1,
    ],
    [
      'a missing value',
      broken([SAMPLE], { 6: [message([1, 1], [2, message([8, 99])])] }),
      { 'skipped-references': 2 },
      1,
    ],
    [
      'missing attributes and a missing link',
      broken([message([1, 1], [2, packedVarints(1, 8, 9)], [3, 5], [4, packedVarints(1)])]),
      { 'skipped-references': 3 },
      1,
    ],
    ['a malformed row of a table', broken([SAMPLE], { 2: [wrongType] }), { 'skipped-rows': 1 }, 1],
    [
      'a string that is not UTF-8',
      broken([SAMPLE], { 5: ['cpu', Uint8Array.of(0x61, 0xff), 'a.out'] }),
      { 'invalid-utf8': 1 },
      1,
    ],
  ])('drops %s', (_, bytes, counts, samples) => {
    expect(() => readOtlp(bytes, { generation: 'v1.11' })).toThrow(FormatError)
    const result = lenient(bytes)
    expectSound(result.profiles)
    expect(countsOf(result)).toEqual(counts)
    expect(result.profiles.samples.length).toBe(samples)
  })

  test('drops attributes of resources that refer to missing strings', () => {
    const attribute = (key: number): Uint8Array => message([1, message([3, key], [2, message([1, 'x'])])])
    const resource = message([1, message([1, joined(attribute(1), attribute(99))])])
    const result = lenient(joined(resource, message([2, dictionary(TABLES)])))
    expect(result.profiles.resources.resource(0).attributes).toEqual([{ key: 'cpu', value: 'x' }])
    expect(countsOf(result)).toEqual({ 'skipped-references': 1 })
  })

  test('keeps the positions of rows', () => {
    const result = lenient(broken([SAMPLE], { 3: [wrongType, message([1, 2])], 2: [message([3, message([1, 2])])] }))
    const { functions, locations } = result.profiles.dictionary
    expect(functions.length).toBe(3)
    expect(locations.lines.ints[locations.lines.base]).toBe(2)
  })

  test('throws if nothing can be read', () => {
    expect(() => lenient(Uint8Array.of(0x0a))).toThrow(FormatError)
    expect(() => lenient(Uint8Array.of(0xff, 0xff, 0xff))).toThrow(FormatError)
  })
})

test('lenient reading returns the same as strict reading for intact files', () => {
  for (const { bytes } of fixtures) {
    const strict = readOtlp(bytes)
    const other = readOtlp(bytes, { lenient: true })
    expect([other.notes, other.generation]).toEqual([strict.notes, strict.generation])
    expect(difference(other.profiles, strict.profiles)).toBeUndefined()
  }
})

test('lenient reading returns valid profiles or throws an error with an offset for any modification', () => {
  const format: Format = { ...otlp, read: (bytes, options) => readOtlp(bytes, { ...options, lenient: true }) }
  const corpus = fixtures.map(({ bytes }) => bytes)
  const report = fuzz(format, corpus, 4711, runs => runs < 600)
  expect(report.failure).toBeUndefined()
  expect(report.read).toBeGreaterThan(report.runs / 2)
})
