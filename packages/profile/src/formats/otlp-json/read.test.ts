import { describe, expect, test } from 'vitest'
import type { AttributeIndex, LinkIndex } from '../../model/columns/brand.ts'
import { difference } from '../../model/compare/content-equal.ts'
import { portableCodecs } from '../../wire/compression/compression.ts'
import { crc32 } from '../../wire/compression/crc32.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import type { ReadResult } from '../format.ts'
import { FormatError } from '../format.ts'
import { readOtlp } from '../otlp/read.ts'
import type { PlainMessage } from '../otlp/testing/encode-message.ts'
import { encodeMessage } from '../otlp/testing/encode-message.ts'
import { readOtlpJson } from './read.ts'
import { framed } from '../otlp/testing/framed.ts'
import { REFERENCES } from './testing/fixtures.ts'
import { generationJson } from './testing/generation-json.ts'
import { profileText, readText } from './testing/read-text.ts'

describe('readOtlpJson of numbers', () => {
  const samplesOf = (values: string): bigint[] => {
    const { samples } = readText(profileText(`"samples":[{"values":[${values}]}]`)).profiles
    return [...samples.values.signed()]
  }

  test('reads 64-bit numbers as strings or numbers, exact beyond 2^53', () => {
    const all = '9223372036854775807,"9223372036854775807",-9223372036854775808,"-9223372036854775808",9007199254740993'
    const max = 2n ** 63n - 1n
    expect(samplesOf(all)).toEqual([max, max, -max - 1n, -max - 1n, 9007199254740993n])
    expect(samplesOf('1e3, 1.0, "25e1", "-0", 0')).toEqual([1000n, 1n, 250n, 0n, 0n])
  })

  test('reads unsigned numbers up to 2^64 - 1', () => {
    const text = profileText(
      '"timeUnixNano":18446744073709551615,"durationNano":"18446744073709551615","period":-1,' +
        '"samples":[{"timestampsUnixNano":["18446744073709551615",1]}]',
    )
    const { profiles, samples } = readText(text).profiles
    expect([profiles.time(0), profiles.duration(0), profiles.period(0)]).toEqual([2n ** 64n - 1n, 2n ** 64n - 1n, -1n])
    expect([...samples.timestamps.unsigned()]).toEqual([2n ** 64n - 1n, 1n])
  })

  test('reads the names of special doubles', () => {
    const values = ['"NaN"', '"Infinity"', '"-Infinity"', '-0', '1.5e-7', '"2.5"'].map(v => `{"doubleValue":${v}}`)
    const table = `"attributeTable":[${values.map(value => `{"value":${value}}`).join()}]`
    const { attributes } = readText(profileText('', table)).profiles.dictionary
    const read = Array.from({ length: attributes.length }, (_, i) => attributes.value(i as AttributeIndex))
    expect(read).toEqual([NaN, Infinity, -Infinity, -0, 1.5e-7, 2.5])
  })
})

describe('readOtlpJson of bytes', () => {
  test('reads ids as hex in lower and upper case', () => {
    const links = '"linkTable":[{},{"traceId":"5B8EFFF798038103d269b633813fc60c","spanId":"EEE19B7ec3c1b174"}]'
    const table = readText(profileText('"samples":[{"linkIndex":1,"values":[1]}]', links)).profiles.dictionary.links
    expect(hex(table.traceId(1 as LinkIndex))).toBe('5b8efff798038103d269b633813fc60c')
    expect(hex(table.spanId(1 as LinkIndex))).toBe('eee19b7ec3c1b174')
  })

  test("reads a profile's id as hex or base64 and its payload as base64", () => {
    const id = '000102030405060708090a0b0c0d0e0f'
    for (const spelling of [id, id.toUpperCase(), 'AAECAwQFBgcICQoLDA0ODw==', 'AAECAwQFBgcICQoLDA0ODw']) {
      const { profiles } = readText(profileText(`"profileId":"${spelling}","originalPayload":"-_8"`)).profiles
      expect(hex(profiles.id(0))).toBe(id)
      expect(hex(profiles.originalPayload(0))).toBe('fbff')
    }
  })

  function hex(bytes: Uint8Array): string {
    return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
  }
})

describe('readOtlpJson of keys', () => {
  test('keeps and counts unknown keys', () => {
    const text = `{"resourceProfiles":[{"resource":{"x":[{}],"attributes":[{"key":"k","more":1,"value":{"newValue":1}}]},
      "scopeProfiles":[{"scope":{"y":null,"z":1},"profiles":[{"samples":[{"values":["1"],"flags":{"a":[1]}}],
      "sample_type":{},"sampleType":{"kind":3}}]}]}],"dictionary":{"stringTable":[""],"stackTable":[{"depth":1}]},"v":2}`
    const { profiles, notes, generation } = readText(text)
    expect(notes).toEqual([
      { code: 'unknown-fields-kept', count: 9, message: 'fields that OTLP does not define were kept' },
    ])
    expect(profiles.samples.length).toBe(1)
    expect(generation).toBe('v1.11')
  })

  test('reads null as absent', () => {
    const text = profileText(
      '"sampleType":null,"samples":null,"timeUnixNano":null,"profileId":null,"sample":null,"timeNanos":null',
      '"stringTable":null,"attributeTable":[{"value":null,"keyStrindex":null},{"value":{"intValue":null}}]',
    )
    const { profiles, notes, generation } = readText(text)
    expect(notes).toEqual([])
    expect(generation).toBe('v1.11')
    expect(profiles.dictionary.attributes.value(1 as AttributeIndex)).toBeUndefined()
  })

  test('accepts escaped keys in any order and uses the last of duplicates', () => {
    const text = String.raw`{"dictionary":{"stringTable":["","a\n\ud83d\ude00"]},"resource\u0050rofiles":[{"scopeProfiles":[{
      "profiles":[{"period":1,"sampleType":{"typeStrindex":1},"period":"2"}]}]}]}`
    const { profiles, dictionary } = readText(text).profiles
    expect(profiles.period(0)).toBe(2n)
    expect(dictionary.strings.text(profiles.type(0))).toBe('a\n😀')
  })
})

describe('references to the string table', () => {
  test('are resolved in resources, scopes and attributes', () => {
    const { profiles, notes } = readText(REFERENCES)
    const { attributes } = profiles.dictionary
    expect(profiles.resources.resource(0).attributes).toEqual([{ key: 'service.name', value: 'checkout' }])
    expect(profiles.scopes.scope(0).attributes).toEqual([{ key: 'k', value: ['three'] }])
    expect(attributes.value(1 as AttributeIndex)).toBe('checkout')
    expect(attributes.value(2 as AttributeIndex)).toEqual({ entries: [{ key: 'service.name', value: '' }] })
    expect(notes).toEqual([])
  })

  test('count only in the last of several values', () => {
    const array = (index: number): string => `"arrayValue":{"values":[{"stringValueStrindex":${index}}]}`
    const values = [`${array(1)},"stringValue":"s"`, `${array(1)},${array(2)}`, `${array(1)},"arrayValue":{}`]
    const table = `"stringTable":["","a","b"],"attributeTable":[${values.map(v => `{"value":{${v}}}`).join()}]`
    const { attributes } = readText(profileText('', table)).profiles.dictionary
    expect([0, 1, 2].map(i => attributes.value(i as AttributeIndex))).toEqual(['s', ['b'], []])
  })
})

describe('readOtlpJson of fields that only v1.8 has', () => {
  const content = (profile: PlainMessage): PlainMessage => ({
    resource_profiles: [{ scope_profiles: [{ profiles: [profile, { ...profile, period: 2n }] }] }],
    dictionary: {
      string_table: ['', 'cpu', 'first', 'second'],
      attribute_table: [{}, { key_strindex: 1, value: { bool_value: true } }],
    },
  })

  test.each<PlainMessage>([
    { comment_strindices: [2, 3, 2], attribute_indices: [1] },
    { sample_type: { type_strindex: 1, aggregation_temporality: 1 }, comment_strindices: [3] },
    { sample_type: { type_strindex: 1, aggregation_temporality: 2 } },
  ])('returns the same attributes as from protobuf for %j', profile => {
    const protobuf = encodeMessage('v1.8', content(profile))
    const { profiles, generation, notes } = readOtlpJson(generationJson(protobuf, 'v1.8'))
    expect(difference(profiles, readOtlp(protobuf, { generation: 'v1.8' }).profiles)).toBeUndefined()
    expect(profiles.profiles.attributesOf(0).length).toBeGreaterThan(0)
    expect(generation).toBe('v1.8')
    expect(notes).toEqual([])
  })

  test('notes values without a meaning', () => {
    const types = '"sampleType":{"aggregationTemporality":3},"periodType":{"aggregationTemporality":1}'
    const codes = readText(profileText(types)).notes.map(({ code }) => code)
    expect(codes).toEqual(['period-temporality', 'unknown-temporality'])
  })

  test('adds notes once, even if the generation is detected late', () => {
    const text = profileText('"periodType":{"aggregationTemporality":1},"sampleType":[{}]')
    const { generation, notes } = readText(text)
    expect(generation).toBe('v1.7')
    expect(notes.map(({ code, count }) => [code, count])).toEqual([['period-temporality', 1]])
  })
})

describe('readOtlpJson of several messages', () => {
  const one = (type: string): string =>
    profileText('"sampleType":{"typeStrindex":1},"samples":[{"values":["1"]}]', `"stringTable":["","${type}"]`)
  const typesOf = ({ profiles: { profiles, dictionary } }: ReadResult): string[] =>
    Array.from({ length: profiles.length }, (_, i) => dictionary.strings.text(profiles.type(i)))

  test('reads them on separate lines or with any space between them', () => {
    const [a, b, c] = ['a', 'b', 'c'].map(one)
    for (const text of [
      `${a}\n${b}\n${c}\n`,
      `\n${a}\r\n\r\n${b} \t${c}`,
      a + b + c,
      `${a}{}${b}{"dictionary":{}}${c}`,
    ]) {
      const result = readText(text)
      expect(typesOf(result)).toEqual(['a', 'b', 'c'])
      expect(result.profiles.samples.length).toBe(3)
      expect(result.generation).toBe('v1.11')
    }
  })

  test('reads different generations', () => {
    const profile = { sample_type: [{ type_strindex: 1 }], sample: [{ value: [1n] }] }
    const content = { resource_profiles: [{ scope_profiles: [{ profiles: [profile] }] }] }
    const v1_7 = encodeMessage('v1.7', { ...content, dictionary: { string_table: ['', 'old'] } })
    const json = generationJson(v1_7, 'v1.7')
    const text = decodeUtf8(json)
    const result = readText(`${one('a')}\n${text}\n${one('b')}\n${text}`)
    expect(typesOf(result)).toEqual(['a', 'old', 'b', 'old'])
    expect(result.generation).toBe('v1.11, v1.7')
  })

  test('reads frames, compressed or not', () => {
    const [a, b] = [one('a'), one('b')].map(text => encodeUtf8(text))
    expect(typesOf(readOtlpJson(framed(a, b)))).toEqual(['a', 'b'])
    expect(typesOf(readOtlpJson(framed(stored(a), b, stored(a))))).toEqual(['a', 'b', 'a'])
    const unzstd = (bytes: Uint8Array): Uint8Array => bytes.subarray(4)
    const packed = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, ...b)
    expect(typesOf(readOtlpJson(framed(a, packed), { codecs: { ...portableCodecs, unzstd } }))).toEqual(['a', 'b'])
  })

  test('merges the dictionaries of thousands of messages', () => {
    const { profiles } = readText(Array.from({ length: 3000 }, (_, i) => one(`type ${i % 7}`)).join('\n'))
    expect(profiles.profiles.length).toBe(3000)
    expect(profiles.dictionary.strings.length).toBe(8)
  })
})

describe('readOtlpJson generations', () => {
  test('are not decided by one old name', () => {
    const members = '"sampleType":{"typeStrindex":1},"attributes":[1],"samples":[{"value":3,"values":["1"],"link":0}]'
    const { generation, notes, profiles } = readText(profileText(members, '"stringTable":["","cpu"]'))
    expect(generation).toBe('v1.11')
    expect(notes.map(({ code, count }) => [code, count])).toEqual([['unknown-fields-kept', 3]])
    expect(profiles.samples.total(0)).toBe(1n)
  })

  test('can be given by the caller', () => {
    const text = profileText('"sampleType":[{"typeStrindex":1}],"sample":[{"value":["5"]}]', '"stringTable":["","cpu"]')
    expect(readText(text).generation).toBe('v1.7')
    expect(readText(text, { generation: '1.7.0' }).profiles.samples.total(0)).toBe(5n)
    expect(() => readText(text, { generation: 'v1.8' })).toThrow(FormatError)
    expect(readText(profileText(''), { generation: 'v1.9' }).generation).toBe('v1.9')
    expect(() => readText(text, { generation: 'v9' })).toThrow(RangeError)
  })
})

/** gzip without any compression. */
function stored(bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  const sizes = [length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff]
  const crc = crc32(bytes, 0, length)
  const trailer = [crc, crc >> 8, crc >> 16, crc >> 24, length, length >> 8, 0, 0]
  return Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, ...sizes, ...bytes, ...trailer)
}
