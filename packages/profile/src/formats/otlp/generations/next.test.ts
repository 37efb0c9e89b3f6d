// The generation `next`: original payloads in a table that profiles share. Read and written only on request.
import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../../../model/build/builder.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { difference } from '../../../model/compare/content-equal.ts'
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import { protoMessage as message } from '../../../wire/testing/proto-message.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import { readOtlpJson } from '../../otlp-json/read.ts'
import { readOtlp } from '../read.ts'
import { writeOtlp } from '../write.ts'
import { SchemaReader } from './schema-reader.ts'

const next = { generation: 'next' }

function withPayloads(...payloads: readonly (readonly [format: string, payload: Uint8Array])[]): Profiles {
  const builder = new ProfilesBuilder()
  for (const [originalPayloadFormat, originalPayload] of payloads) {
    builder.profile({ type: 'cpu', unit: 'ns', originalPayloadFormat, originalPayload })
    builder.sample({ stack: builder.stack([]), values: [1] })
  }
  return builder.build()
}

describe('the generation next', () => {
  test.each([
    ['the rich example', richProfiles()],
    ['profiles without payloads', withPayloads(['', new Uint8Array(0)])],
    ['two formats', withPayloads(['pprof', Uint8Array.of(1, 2)], ['jfr', Uint8Array.of(3)])],
  ])('comes back equal: %s', (_, profiles) => {
    const { bytes } = writeOtlp(profiles, next)
    const back = readOtlp(bytes, next)
    expect(difference(back.profiles, profiles)).toBeUndefined()
    expect([back.generation, back.notes]).toEqual(['next', []])
  })

  test('writes equal payloads once', () => {
    const payload = new Uint8Array(1000).fill(7)
    const profiles = withPayloads(['pprof', payload], ['pprof', payload], ['pprof', payload])
    const { bytes } = writeOtlp(profiles, next)
    expect(bytes.length).toBeLessThan(writeOtlp(profiles).bytes.length - 1900)
    const { dictionary } = new SchemaReader(bytes, 'next').read('ProfilesData')
    expect(dictionary).toMatchObject({ original_data_source_table: [{}, { payload }] })
  })

  test('is never guessed', () => {
    const { bytes } = writeOtlp(richProfiles(), next)
    const { profiles, generation, notes } = readOtlp(bytes)
    expect(generation).toBe('v1.11')
    expect(notes).toContainEqual(expect.objectContaining({ code: 'unknown-fields-kept' }))
    expect(difference(readOtlp(writeOtlp(profiles).bytes, next).profiles, richProfiles())).toBeUndefined()
  })

  test('reports what a profile has no place for, and broken indexes', () => {
    const source = message([1, Uint8Array.of(9)], [2, Uint8Array.of(0)])
    const dictionary = message([5, encodeUtf8('')], [5, encodeUtf8('jfr')], [8, message()], [8, source])
    const request = (...fields: readonly (readonly [number, number | Uint8Array])[]): Uint8Array =>
      message([1, message([2, message([2, message(...fields)])])], [2, dictionary])
    const { profiles, notes } = readOtlp(request([12, Uint8Array.of(1, 1)], [13, Uint8Array.of(1, 1)], [40, 5]), next)
    expect([profiles.profiles.originalPayloadFormat(0), profiles.profiles.originalPayload(0)]).toEqual([
      'jfr',
      Uint8Array.of(9),
    ])
    expect(notes.map(({ code, count }) => [code, count])).toEqual([
      ['payload-attributes', 1],
      ['payloads', 1],
      ['unknown-fields-kept', expect.any(Number)],
    ])
    expect(() => readOtlp(request([13, Uint8Array.of(2)]), next)).toThrow('outside original_data_source_table')
    expect(() => readOtlp(request([12, Uint8Array.of(9)], [13, Uint8Array.of(1)]), next)).toThrow(
      'outside string_table',
    )
  })

  test('cannot be requested where it does not exist', () => {
    expect(() => readOtlpJson(encodeUtf8('{}'), next)).toThrow('cannot be read')
    expect(() => writeOtlp(richProfiles(), { generation: 'v1.9' })).toThrow('expected v1.11 or next')
  })
})
