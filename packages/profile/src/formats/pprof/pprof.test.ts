// Round trips between pprof and the model.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import type { ProfileSpec } from '../../model/testing/profiles-spec.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { packedVarints, protoMessage } from '../../wire/testing/proto-message.ts'
import { FormatError } from '../format.ts'
import { readOtlp } from '../otlp/read.ts'
import { writeOtlp } from '../otlp/write.ts'
import { detectPprof } from './detect.ts'
import { readPprof } from './read.ts'
import { fixtures, plainPprof, richPprof } from './testing/fixtures.ts'
import { writePprof } from './write.ts'

const texts = ({ dictionary }: Profiles, rows: readonly number[]): string[] =>
  rows.map(row => dictionary.strings.text(row as never))

/** Attributes of a sample, by name, with their units. */
function attributesOf(profiles: Profiles, sample: number): Record<string, unknown> {
  const { attributes, strings } = profiles.dictionary
  return Object.fromEntries(
    profiles.samples.attributesOf(sample).map(row => {
      const unit = strings.text(attributes.unit(row))
      return [strings.text(attributes.key(row)) + (unit === '' ? '' : ` [${unit}]`), attributes.value(row)]
    }),
  )
}

describe('readPprof', () => {
  const { profiles, notes } = readPprof(richPprof())

  test('creates a profile for each sample type, the default one first', () => {
    const { profiles: table } = profiles
    expect(texts(profiles, [table.type(0), table.unit(0), table.type(1), table.unit(1)])).toEqual([
      'samples',
      'count',
      'cpu',
      'nanoseconds',
    ])
    expect(profiles.scopes.scope(0).attributes).toEqual([{ key: 'pprof.scope.default_sample_type', value: 'samples' }])
    expect(notes).toEqual([])
  })

  test('uses the last type as the default if none is named, and records the order', () => {
    const plain = readPprof(plainPprof()).profiles
    expect(texts(plain, [plain.profiles.type(0), plain.profiles.type(1)])).toEqual(['cpu', 'samples'])
    expect(plain.scopes.scope(0).attributes).toEqual([{ key: 'pprof.scope.sample_type_order', value: [1n, 0n] }])
  })

  test('reads a build id that refers to an empty string as none', () => {
    const texts = ['', 'cpu', 'ns', 'main', 'app', ''].map(text => [6, text] as const)
    const file = protoMessage(
      [1, protoMessage([1, 1], [2, 2])],
      [2, protoMessage([1, packedVarints(1)], [2, packedVarints(5)])],
      [3, protoMessage([1, 1], [5, 4], [6, 5])],
      [4, protoMessage([1, 1], [2, 1], [3, 16])],
      ...texts,
    )
    const { mappings } = readPprof(file).profiles.dictionary
    expect([mappings.length, mappings.attributesOf(1 as never)]).toEqual([2, []])
  })

  test('preserves values exactly', () => {
    const { samples, profiles: table } = profiles
    const values = samples.values.signed()
    expect(values.slice(0, 4)).toEqual(BigInt64Array.of(1n, -3n, 0n, 5n))
    expect(values[samples.valuesFrom(table.samplesFrom(1) + 1)]).toBe(2n ** 62n)
  })

  test('turns labels into attributes, repeated ones into arrays', () => {
    expect(attributesOf(profiles, 0)).toEqual({ thread: 'worker' })
    expect(attributesOf(profiles, 1)).toEqual({
      bytes: [
        {
          entries: [
            { key: 'value', value: 512n },
            { key: 'unit', value: 'size' },
          ],
        },
        2n ** 60n,
      ],
    })
    expect(attributesOf(profiles, 2)).toEqual({
      size: undefined,
      thread: [
        'worker',
        4n,
        {
          entries: [
            { key: 'value', value: 9n },
            { key: 'unit', value: 'kilobytes' },
          ],
        },
      ],
    })
  })

  test('turns a trace id and a span id into a link', () => {
    const { links } = profiles.dictionary
    const link = profiles.samples.link(3)
    expect([...links.traceId(link)]).toEqual(Array.from({ length: 16 }, (_, i) => i + 1))
    expect([...links.spanId(link)]).toEqual(Array.from({ length: 8 }, (_, i) => i + 1))
    expect(attributesOf(profiles, 3)).toEqual({})
  })

  test('stores fields that the model lacks as attributes of the profile', () => {
    const { attributes, strings } = profiles.dictionary
    const own = Object.fromEntries(
      profiles.profiles.attributesOf(0).map(row => [strings.text(attributes.key(row)), attributes.value(row)]),
    )
    expect(own).toMatchObject({
      'pprof.profile.comment': ['a comment', 'another'],
      'pprof.profile.drop_frames': 'drop.*',
      'pprof.profile.keep_frames': 'keep.*',
      'pprof.profile.doc_url': 'https://example.com/doc',
    })
  })
})

describe('round trips', () => {
  test.each(fixtures)('$name: pprof to OTLP and back is lossless', ({ bytes }) => {
    const first = readPprof(bytes).profiles
    const throughOtlp = readOtlp(writeOtlp(first).bytes).profiles
    expect(difference(throughOtlp, first)).toBeUndefined()
    const { bytes: written, notes } = writePprof(throughOtlp)
    expect(notes).toEqual([])
    expect(difference(readPprof(written).profiles, first)).toBeUndefined()
  })

  test('reading and writing a written file again changes no byte', () => {
    for (const { bytes } of fixtures) {
      const once = writePprof(readPprof(bytes).profiles).bytes
      expect(writePprof(readPprof(once).profiles).bytes).toEqual(once)
    }
  })

  test('writePprof accepts any profiles, and its output is stable after one round trip', () => {
    fc.assert(
      fc.property(arbitraryProfiles(), profiles => {
        const once = readPprof(
          writePprof(profiles).bytes.length === 2 ? plainPprof() : writePprof(profiles).bytes,
        ).profiles
        expect(difference(readPprof(writePprof(once).bytes).profiles, once)).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  })
})

describe('writePprof', () => {
  test('counts everything that pprof cannot hold', () => {
    fc.assert(
      fc.property(arbitraryProfiles({ shapes: ['timestamps'] }), profiles => {
        const { notes } = writePprof(profiles)
        const codes = notes.map(({ code }) => code)
        const hasTimestamps = profiles.samples.timestamps.length > 0
        // Profiles without samples may be dropped as well, so that note alone does not prove timestamps.
        if (hasTimestamps) expect(codes.some(code => code === 'timestamps' || code === 'profiles-left-out')).toBe(true)
        else expect(codes).not.toContain('timestamps')
      }),
      { numRuns: 30 },
    )
  })

  test('names the first of several types as the default, because pprof would show the last', () => {
    const profile = (type: string): ProfileSpec => ({ type, unit: 'count', samples: [{ stack: [], values: [1n] }] })
    const shownFirst = (...types: string[]): unknown[] => {
      const { bytes } = writePprof(buildProfiles([{ scopes: [{ profiles: types.map(profile) }] }]))
      const { profiles } = readPprof(bytes)
      const [scope] = profiles.scopes.scope(0).attributes
      return [...texts(profiles, [profiles.profiles.type(0)]), scope]
    }
    expect(shownFirst('samples', 'cpu')).toEqual([
      'samples',
      { key: 'pprof.scope.default_sample_type', value: 'samples' },
    ])
    expect(shownFirst('cpu')).toEqual(['cpu', undefined])
    const { scopes } = readPprof(writePprof(readPprof(plainPprof()).profiles).bytes).profiles
    expect(scopes.scope(0).attributes.map(({ key }) => key)).toEqual(['pprof.scope.sample_type_order'])
  })

  test('writes the requested type', () => {
    const { profiles } = readPprof(plainPprof())
    const only = readPprof(writePprof(profiles, { type: 'samples' }).bytes).profiles
    expect(only.profiles.length).toBe(1)
    expect(texts(only, [only.profiles.type(0)])).toEqual(['samples'])
  })
})

describe('readPprof rejects', () => {
  const type = [1, protoMessage([1, 1], [2, 1])] as const
  const strings = [
    [6, ''],
    [6, 'x'],
  ] as const

  test.each([
    ['no sample type', protoMessage(...strings), 'there is no sample type'],
    [
      'a missing location in every sample',
      protoMessage(type, [2, protoMessage([1, packedVarints(4)], [2, 1])], ...strings),
      'a sample refers to a location that is not in the file at byte 6 (sample[0].location_id[0])',
    ],
    [
      'too many values in every sample',
      protoMessage(type, [2, protoMessage([2, packedVarints(1, 2)])], ...strings),
      'a sample has 2 values for 1 sample types',
    ],
    [
      'two profiles in one',
      new Uint8Array([...plainPprof(), ...plainPprof()]),
      'a second profile begins in the same file',
    ],
    ['a wrong wire type', protoMessage([9, 'text']), 'field 9 has wire type length-delimited'],
  ])('%s', (_, bytes, what) => {
    expect(() => readPprof(bytes)).toThrow(FormatError)
    expect(() => readPprof(bytes)).toThrow(what)
  })

  test.each([
    ['no strings', protoMessage(type), 'no-strings'],
    ['a first string that is not empty', protoMessage(type, [6, 'x']), 'first-string'],
    ['a missing string', protoMessage([1, protoMessage([1, 9])], ...strings), 'missing-strings'],
    [
      // The reader appends names to the table, so this index would exist in the end.
      'a string one past the end',
      protoMessage(type, [3, protoMessage([1, 1], [5, 1], [7, 1])], ...strings, [15, 2]),
      'missing-strings',
    ],
    [
      'a missing location in one of two samples',
      protoMessage(type, [2, protoMessage([1, packedVarints(4)], [2, 1])], [2, protoMessage([2, 1])], ...strings),
      'skipped-samples',
    ],
    ['an id of 0', protoMessage(type, [4, protoMessage([3, 1])], ...strings), 'unusable-ids'],
    [
      'two entries with the same id',
      protoMessage(type, [4, protoMessage([1, 1])], [4, protoMessage([1, 1])], ...strings),
      'unusable-ids',
    ],
  ])('but not %s, which speedscope opens too', (_, bytes, code) => {
    const { profiles, notes } = readPprof(bytes)
    expect(notes.map(note => note.code)).toContain(code)
    expect(findBadReference(profiles)).toBeUndefined()
  })

  test('a key that a sample repeats ten thousand times becomes one attribute', () => {
    const label = protoMessage([1, 1], [3, 5])
    const labels = Array.from({ length: 10_000 }, () => [3, label] as const)
    const { profiles } = readPprof(protoMessage(type, [2, protoMessage([2, 1], ...labels)], ...strings))
    expect(profiles.samples.attributesOf(0)).toHaveLength(1)
  })

  test('broken UTF-8 is replaced and counted', () => {
    const bytes = protoMessage(type, [6, ''], [6, Uint8Array.of(0x61, 0xff)])
    const { profiles, notes } = readPprof(bytes)
    expect(texts(profiles, [1])).toEqual(['a\u{fffd}'])
    expect(notes).toMatchObject([{ code: 'invalid-utf8', count: 1 }])
  })
})

test('pprof is detected by content', () => {
  for (const { bytes } of fixtures) expect(detectPprof(bytes)).toBe('certain')
  expect(detectPprof(writeOtlp(readPprof(richPprof()).profiles).bytes)).toBe('no')
})
