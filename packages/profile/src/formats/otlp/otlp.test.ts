// The reader and writer of the current generation: round trips in every order and form that protobuf allows, and the positions
// of errors.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StringIndex } from '../../model/columns/brand.ts'
import { difference } from '../../model/compare/content-equal.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { richProfiles } from '../../model/testing/rich-profiles.ts'
import { validate } from '../../model/validate/validate.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { protoMessage as message } from '../../wire/testing/proto-message.ts'
import { FormatError } from '../format.ts'
import { encodeOtlp } from './encode.ts'
import { readOtlp } from './read.ts'
import { framed } from './testing/framed.ts'
import { encodeGeneration } from './testing/encode-generation.ts'
import { writeOtlp } from './write.ts'

const text = (value: string): Uint8Array => encodeUtf8(value)
const none = new Uint8Array(0)

/** A dictionary of zero rows followed by the given rows, by field number. */
function dictionary(rows: Readonly<Record<number, readonly Uint8Array[]>>): Uint8Array {
  return message(
    ...[1, 2, 3, 4, 5, 6, 7].flatMap(field => [none, ...(rows[field] ?? [])].map(row => [field, row] as const)),
  )
}

function request(profile: Uint8Array, rows: Readonly<Record<number, readonly Uint8Array[]>> = {}): Uint8Array {
  return message([1, message([2, message([2, profile])])], [2, dictionary(rows)])
}

function errorOf(bytes: Uint8Array): FormatError {
  try {
    readOtlp(bytes, { generation: 'v1.11' })
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
  throw new Error('was read')
}

describe('writeOtlp and readOtlp', () => {
  test('return the same profiles', () => {
    fc.assert(
      fc.property(arbitraryProfiles(), profiles => {
        const { bytes } = writeOtlp(profiles)
        expect(difference(readOtlp(bytes, { generation: 'v1.11' }).profiles, profiles)).toBeUndefined()
      }),
    )
  })

  test('write a dictionary without duplicates and orphans', () => {
    const { profiles } = readOtlp(writeOtlp(richProfiles()).bytes)
    expect(validate(profiles)).toEqual([])
    const ofDictionary = validate(profiles, { strict: true }).filter(({ rule }) => /^(dictionary|zero)-/.test(rule))
    expect(ofDictionary).toEqual([])
  })

  test('return the same bytes when written twice', () => {
    const { bytes } = writeOtlp(richProfiles())
    expect(writeOtlp(readOtlp(bytes).profiles).bytes).toEqual(bytes)
  })

  test('write row 0 of the links as an empty message', () => {
    for (const zeroIds of [[], [[1, new Uint8Array(16)] as const, [2, new Uint8Array(8)] as const]]) {
      const bytes = message([2, message([4, message(...zeroIds)])])
      const encoded = encodeOtlp(readOtlp(bytes, { generation: 'v1.11' }).profiles)
      const { links } = readOtlp(encoded).profiles.dictionary
      expect([links.length, links.traceId(0 as never).length, links.spanId(0 as never).length]).toEqual([1, 0, 0])
    }
  })

  test('read an empty message as an empty set of profiles', () => {
    const { profiles, generation } = readOtlp(none)
    expect([profiles.resources.length, profiles.samples.length, generation]).toEqual([0, 0, 'v1.11'])
    expect(profiles.emptyTables).toHaveLength(7)
  })
})

describe('readOtlp accepts all forms of protobuf', () => {
  test('unpacked, split and mixed lists', () => {
    const sample = message([1, 1], [2, 1], [2, Uint8Array.of(2)], [4, 3], [4, Uint8Array.of(4, 5)])
    const stack = message([1, 1], [1, Uint8Array.of(1)])
    const rows = { 5: [text('a'), text('b')], 6: [message([1, 1]), message([1, 2])], 2: [message([2, 7])], 7: [stack] }
    const { profiles } = readOtlp(request(message([2, sample]), rows), { generation: 'v1.11' })
    const { samples } = profiles
    expect(samples.attributesOf(0)).toEqual([1, 2])
    expect([...samples.values.signed()]).toEqual([3n, 4n, 5n])
    expect(profiles.dictionary.stacks.to(1 as never)).toBe(2)
  })

  test('a dictionary that comes first and in parts', () => {
    const { bytes } = writeOtlp(richProfiles())
    const whole = readOtlp(bytes).profiles
    const strings = message([2, message([5, none], [5, text('x')])])
    const rest = message([2, message([5, text('y')])])
    const joined = new Uint8Array([...strings, ...rest])
    const { profiles } = readOtlp(joined)
    expect([1, 2].map(i => profiles.dictionary.strings.text(i as StringIndex))).toEqual(['x', 'y'])
    expect(whole.resources.length).toBeGreaterThan(0)
  })

  test('a resource in several parts', () => {
    const attribute = (key: string): Uint8Array => message([1, text(key)], [2, message([1, text('v')])])
    const resource = (key: string): readonly [number, Uint8Array] => [1, message([1, attribute(key)])]
    const bytes = message([1, message(resource('a'), resource('b'), resource('c'))])
    const { attributes } = readOtlp(bytes).profiles.resources.resource(0)
    expect(attributes.map(({ key }) => key)).toEqual(['a', 'b', 'c'])
  })

  test('unknown fields, which it counts', () => {
    const bytes = message([1, message([99, 5], [200, text('later')])])
    expect(readOtlp(bytes).notes).toMatchObject([{ code: 'unknown-fields-kept', count: 2 }])
  })
})

describe('references to the string table', () => {
  const strings = { 5: [text('service.name'), text('checkout')] }

  test('are resolved in resources, scopes and attribute values, nested ones too', () => {
    const keyValue = message([3, 1], [2, message([8, 2])])
    const nested = message([6, message([1, keyValue])])
    const array = message([5, message([1, message([8, 2])], [1, nested])])
    const attributes = [message([1, 1], [2, message([8, 2])]), message([1, 1], [2, array])]
    const containers = message([1, message([1, message([1, keyValue])], [2, message([1, message([3, keyValue])])])])
    const bytes = new Uint8Array([...containers, ...message([2, dictionary({ ...strings, 6: attributes })])])
    const { profiles } = readOtlp(bytes, { generation: 'v1.11' })
    const resolved = { key: 'service.name', value: 'checkout' }
    expect(profiles.resources.resource(0).attributes).toEqual([resolved])
    expect(profiles.scopes.scope(0).attributes).toEqual([resolved])
    expect(profiles.dictionary.attributes.value(1 as never)).toBe('checkout')
    expect(profiles.dictionary.attributes.value(2 as never)).toEqual(['checkout', { entries: [resolved] }])
  })

  test('are rejected outside the table', () => {
    const keyValue = message([3, 9])
    const bytes = new Uint8Array([
      ...message([1, message([1, message([1, keyValue])])]),
      ...message([2, dictionary(strings)]),
    ])
    expect(errorOf(bytes).what).toContain('string 9 is outside the string table (length 3)')
  })
})

describe('readOtlp of framed files', () => {
  test('reads several messages, each with its own generation', () => {
    const rich = richProfiles()
    const { profiles, generation } = readOtlp(framed(encodeGeneration(rich, 'v1.8'), encodeGeneration(rich, 'v1.11')))
    expect(generation).toBe('v1.8, v1.11')
    expect(profiles.resources.length).toBe(2 * rich.resources.length)
  })

  test('rejects a truncated message', () => {
    const whole = framed(encodeOtlp(richProfiles()))
    expect(() => readOtlp(whole.subarray(0, whole.length - 3))).toThrow(
      /^otlp: a message of \d+ bytes runs past the end/,
    )
    expect(() => readOtlp(new Uint8Array([...whole, 0, 0]))).toThrow('the length of a message is truncated')
  })
})

describe('readOtlp rejects broken input with its position', () => {
  test.each([
    [
      'an index outside its table',
      request(message([2, message([1, 5], [4, 1])])),
      'index 5 is outside stack_table (length 1)',
      'resource_profiles[0].scope_profiles[0].profiles[0].samples[0].stack_index',
    ],
    [
      'a negative index',
      request(message([2, message([1, -2], [4, 1])])),
      'index -2 is outside stack_table (length 1)',
      'resource_profiles[0].scope_profiles[0].profiles[0].samples[0].stack_index',
    ],
    [
      'a missing function',
      request(none, { 2: [message([3, message([1, 7])])] }),
      'index 7 is outside function_table (length 1)',
      'dictionary.location_table[1].lines[0].function_index',
    ],
    [
      'a wrong wire type',
      request(message([2, message([1, none])])),
      'field 1 has wire type length-delimited',
      'samples[0]',
    ],
    [
      'a string that is not UTF-8',
      request(none, { 5: [Uint8Array.of(0x61, 0xff)] }),
      'string is not valid UTF-8',
      'dictionary.string_table[1]',
    ],
  ])('%s', (_, bytes, what, path) => {
    const error = errorOf(bytes)
    expect(error.what).toContain(what)
    expect(error.path).toContain(path)
    expect(error.offset).toBeGreaterThan(0)
    expect(error.offset).toBeLessThan(bytes.length)
  })

  test('a length beyond the end', () => {
    const error = errorOf(Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x07))
    expect(error.what).toContain('length 2147483647 runs past the end of its message (0 bytes left)')
    expect(error.offset).toBe(1)
  })

  test('numbers of more than 10 bytes', () => {
    const endless = new Uint8Array(11).fill(0xff)
    expect(errorOf(new Uint8Array([0x18, ...endless])).what).toContain('varint is longer than 10 bytes')
  })

  test('deeply nested attribute values', () => {
    let value = message([1, text('x')])
    for (let depth = 0; depth < 1000; depth++) value = message([5, message([1, value])])
    expect(errorOf(request(none, { 6: [message([2, value])] })).what).toContain('nested deeper than 50 levels')
  })

  test('reads or rejects every prefix of a payload', () => {
    const { bytes } = writeOtlp(richProfiles())
    for (let length = 0; length < bytes.length; length++) {
      try {
        readOtlp(bytes.subarray(0, length), { generation: 'v1.11' })
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError)
      }
    }
  })
})
