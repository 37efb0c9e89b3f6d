// Lenient reading of truncated or broken texts. Dangling references are dropped as in protobuf.
import { describe, expect, test } from 'vitest'
import { difference } from '../../../model/compare/content-equal.ts'
import { compact } from '../../../model/compact/compact.ts'
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { findBadReference } from '../../../model/validate/references.ts'
import { decodeUtf8, encodeUtf8 } from '../../../wire/utf8.ts'
import type { Format, ReadResult } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { encodeOtlp } from '../../otlp/encode.ts'
import { fuzz } from '../../testing/fuzz.ts'
import { otlpJson } from '../index.ts'
import { readOtlpJson } from '../read.ts'
import { fixtures } from '../testing/fixtures.ts'
import { framed } from '../../otlp/testing/framed.ts'
import { writeOtlpJson } from '../write.ts'

const lenient = (text: string): ReadResult => readOtlpJson(encodeUtf8(text), { lenient: true })
const strict = (text: string) => () => readOtlpJson(encodeUtf8(text))

function countsOf({ notes }: ReadResult): Record<string, number> {
  return Object.fromEntries(notes.map(({ code, count }) => [code, count]))
}

function expectSound(profiles: Profiles): void {
  expect(findBadReference(profiles)).toBeUndefined()
  encodeOtlp(compact(profiles))
}

const DICTIONARY =
  '"dictionary":{"stringTable":["","cpu"],"locationTable":[{},{"address":"16"}],"stackTable":[{},{"locationIndices":[1]}]}'
const SAMPLE = '{"stackIndex":1,"values":["7"]}'
const profile = (samples: string) =>
  `"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1},"samples":[${samples}]}]}]}]`

describe('lenient reading of a truncated text', () => {
  const whole = `{${DICTIONARY},${profile([SAMPLE, SAMPLE, SAMPLE].join(','))}}`

  test('keeps the complete samples', () => {
    const end = whole.length - ']}]}]}]}'.length
    for (const [missing, left] of [
      [0, 3],
      [1, 2],
      [SAMPLE.length, 2],
      [SAMPLE.length + 1, 2],
      [SAMPLE.length + 2, 1],
    ]) {
      const text = whole.slice(0, end - missing)
      expect(strict(text)).toThrow(FormatError)
      const result = lenient(text)
      expect(result.profiles.samples.length).toBe(left)
      expect(result.notes).toEqual([
        {
          isDamage: true,
          code: 'truncated',
          count: 1,
          message: `a part is truncated at byte ${text.length} (unexpected end of input)`,
        },
      ])
    }
  })

  test('drops a number at the end, which may be incomplete', () => {
    const text = `{${DICTIONARY},"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"timeUnixNano":5,"durationNano":12`
    const { profiles } = lenient(text).profiles
    expect([profiles.time(0), profiles.duration(0)]).toEqual([5n, 0n])
    expect(lenient(`${text}}`).profiles.profiles.duration(0)).toBe(12n)
  })

  test('drops samples that need a missing dictionary', () => {
    const text = `{${profile(`${SAMPLE},{"values":["1"]},${SAMPLE}`)},"dictionary"`
    const result = lenient(text)
    expect(result.profiles.samples.length).toBe(1)
    expect(countsOf(result)).toEqual({ truncated: 1, 'skipped-samples': 2, 'skipped-references': 1 })
    expect(result.notes.find(({ code }) => code === 'truncated')!.message).toMatch(/; the dictionary is missing$/)
  })

  test('keeps the lines before and after a broken line', () => {
    const cut = whole.slice(0, whole.length - 12)
    const lines = lenient(`${whole}\n${cut}\n${whole}\n${cut}`)
    expect(lines.profiles.samples.length).toBe(3 + 2 + 3 + 2)
    expect(countsOf(lines)).toEqual({ truncated: 2 })
    const garbage = lenient(`${whole}\nxyz\n${whole}`)
    expect(garbage.profiles.samples.length).toBe(6)
    expect(countsOf(garbage)).toEqual({ 'skipped-messages': 1 })
  })

  test('reads the intact part of the last frame', () => {
    const bytes = framed(encodeUtf8(whole), encodeUtf8(whole))
    const result = readOtlpJson(bytes.subarray(0, bytes.length - 12), { lenient: true })
    expect(result.profiles.samples.length).toBe(3 + 2)
    expect(countsOf(result)).toEqual({ truncated: 1 })
  })

  test.each(fixtures)('returns valid profiles for $name truncated anywhere', ({ bytes }) => {
    const step = Math.max(1, Math.floor(bytes.length / 60))
    for (let end = 60; end < bytes.length; end += step) {
      const result = readOtlpJson(bytes.slice(0, end), { lenient: true })
      expectSound(result.profiles)
      try {
        readOtlpJson(bytes.slice(0, end))
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError)
        expect(result.notes.length).toBeGreaterThan(0)
      }
    }
  })
})

describe('lenient reading of a text with broken content', () => {
  test.each([
    [
      'malformed samples',
      `{${DICTIONARY},${profile(`${SAMPLE},{"stackIndex":"x"},7,${SAMPLE}`)}}`,
      { 'skipped-samples': 2 },
      2,
    ],
    ['a missing stack', `{${DICTIONARY},${profile(`${SAMPLE},{"stackIndex":3}`)}}`, { 'skipped-samples': 1 }, 1],
    [
      'a malformed row of a table',
      `{${DICTIONARY.replace('"16"', '{}')},${profile(SAMPLE)}}`,
      { 'skipped-rows': 1 },
      1,
    ],
    [
      'a malformed field',
      `{${DICTIONARY},${profile(SAMPLE).replace('{"sampleType"', '{"period":[],"sampleType"')}}`,
      { 'skipped-fields': 1 },
      1,
    ],
  ])('drops %s', (_, text, counts, samples) => {
    expect(strict(text)).toThrow(FormatError)
    const result = lenient(text)
    expectSound(result.profiles)
    expect(countsOf(result)).toEqual(counts)
    expect(result.profiles.samples.length).toBe(samples)
  })

  test('throws if nothing can be read', () => {
    for (const text of ['', '{', '[1]', '{"resourceProfiles"']) expect(() => lenient(text)).toThrow(FormatError)
  })
})

test('lenient reading preserves everything else in the copy', () => {
  const { bytes } = writeOtlpJson(richProfiles())
  // A dangling reference, so that a copy is read.
  const text = decodeUtf8(bytes).replace('"samples":[', '"samples":[{"stackIndex":999999},')
  const result = lenient(text)
  expect(countsOf(result)).toEqual({ 'skipped-samples': 1 })
  expect(difference(result.profiles, richProfiles())).toBeUndefined()
})

test('lenient reading returns the same as strict reading for intact texts', () => {
  for (const { bytes } of fixtures) {
    const one = readOtlpJson(bytes)
    const other = readOtlpJson(bytes, { lenient: true })
    expect([other.notes, other.generation]).toEqual([one.notes, one.generation])
    expect(difference(other.profiles, one.profiles)).toBeUndefined()
  }
})

test('lenient reading returns valid profiles or throws an error with an offset for any modification', () => {
  const format: Format = { ...otlpJson, read: (bytes, options) => readOtlpJson(bytes, { ...options, lenient: true }) }
  const report = fuzz(
    format,
    fixtures.map(({ bytes }) => bytes),
    815,
    runs => runs < 600,
  )
  expect(report.failure).toBeUndefined()
  expect(report.read).toBeGreaterThan(report.runs / 2)
})
