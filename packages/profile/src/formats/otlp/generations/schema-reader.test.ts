import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BackwardWriter } from '../../../wire/protobuf/backward-writer.ts'
import { LEN } from '../../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../../wire/wire-error.ts'
import type { Generation } from './schema.ts'
import { GENERATIONS, ROOT } from './schema.ts'
import type { Message } from './schema-reader.ts'
import { SchemaReader } from './schema-reader.ts'
import type { PlainMessage } from '../testing/encode-message.ts'
import { encodeMessage } from '../testing/encode-message.ts'

function read(bytes: Uint8Array, generation: Generation, message = ROOT): Message {
  return new SchemaReader(bytes, generation).read(message)
}

function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values)
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap(part => Array.from(part)))
}

const SAMPLE: PlainMessage = {
  locations_start_index: 7,
  locations_length: 300,
  value: [1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)],
  attribute_indices: [0, 1, 2 ** 31 - 1, -1],
  link_index: 0,
  timestamps_unix_nano: [0n, 2n ** 64n - 1n],
}

describe('SchemaReader on numbers', () => {
  test.each([{ unpacked: false }, { unpacked: true }])('reads lists with %o', options => {
    expect(read(encodeMessage('v1.7', SAMPLE, 'Sample', options), 'v1.7', 'Sample')).toEqual({
      locations_start_index: 7,
      locations_length: 300,
      value: BigInt64Array.of(1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)),
      attribute_indices: Int32Array.of(0, 1, 2 ** 31 - 1, -1),
      link_index: 0,
      timestamps_unix_nano: BigUint64Array.of(0n, 2n ** 64n - 1n),
    })
  })

  test('merges packed and unpacked parts of a list', () => {
    const parts = joined(
      encodeMessage('v1.11', { values: [1n, 2n] }, 'Sample'),
      encodeMessage('v1.11', { values: [3n, 4n] }, 'Sample', { unpacked: true }),
      encodeMessage('v1.11', { values: [5n], timestamps_unix_nano: [6n] }, 'Sample'),
    )
    expect(read(parts, 'v1.11', 'Sample')).toEqual({
      values: BigInt64Array.of(1n, 2n, 3n, 4n, 5n),
      timestamps_unix_nano: BigUint64Array.of(6n),
    })
  })

  test('uses the last occurrence of a single field', () => {
    const twice = joined(
      encodeMessage('v1.11', { stack_index: 1, link_index: 2 }, 'Sample'),
      encodeMessage('v1.11', { stack_index: 3 }, 'Sample'),
    )
    expect(read(twice, 'v1.11', 'Sample')).toEqual({ stack_index: 3, link_index: 2 })
  })

  test('reads the limits of every type', () => {
    const profile = {
      time_unix_nano: 2n ** 64n - 1n,
      duration_nano: 2n ** 63n,
      period: -(2n ** 63n),
      dropped_attributes_count: 2 ** 32 - 1,
    }
    expect(read(encodeMessage('v1.11', profile, 'Profile'), 'v1.11', 'Profile')).toEqual(profile)
  })

  test('rejects numbers that are too large for int32', () => {
    const large = encodeMessage('v1.3', { locations_start_index: 2n ** 31n }, 'Sample')
    // v1.7 has an int32 where v1.3 has a uint64 with another field number.
    expect(() => read(bytes(0x08, ...large.subarray(1)), 'v1.7', 'Sample')).toThrow(/int32 at byte 1/)
  })
})

describe('SchemaReader on messages', () => {
  test('merges two occurrences of a message', () => {
    const parts = joined(
      encodeMessage('v1.7', { dictionary: { string_table: ['', 'a'], link_table: [{ span_id: bytes(1) }] } }),
      encodeMessage('v1.7', { dictionary: { string_table: ['b'], attribute_units: [{ unit_strindex: 2 }] } }),
    )
    expect(read(parts, 'v1.7')).toEqual({
      dictionary: {
        string_table: ['', 'a', 'b'],
        link_table: [{ span_id: bytes(1) }],
        attribute_units: [{ unit_strindex: 2 }],
      },
    })
  })

  test('reads many parts in linear time', () => {
    const first = encodeMessage(
      'v1.3',
      { profile: { location_indices: new Array<bigint>(50_000).fill(1n) } },
      'ProfileContainer',
    )
    const part = encodeMessage('v1.3', { profile: { location_indices: [1n] } }, 'ProfileContainer')
    const all = joined(first, ...new Array<Uint8Array>(50_000).fill(part))
    const profile = read(all, 'v1.3', 'ProfileContainer')['profile'] as Message
    expect((profile['location_indices'] as BigInt64Array).length).toBe(100_000)
  })

  test('uses the last field of a oneof', () => {
    const value = joined(
      encodeMessage('v1.11', { array_value: { values: [{ int_value: 1n }] } }, 'AnyValue'),
      encodeMessage('v1.11', { string_value: 'x' }, 'AnyValue'),
      encodeMessage('v1.11', { kvlist_value: { values: [{ key: 'k' }] } }, 'AnyValue'),
      encodeMessage('v1.11', { bool_value: false }, 'AnyValue'),
    )
    expect(read(value, 'v1.11', 'AnyValue')).toEqual({ bool_value: false })
    const again = joined(value, encodeMessage('v1.11', { array_value: { values: [{ int_value: 2n }] } }, 'AnyValue'))
    expect(read(again, 'v1.11', 'AnyValue')).toEqual({ array_value: { values: [{ int_value: 2n }] } })
  })

  test('decodes lazy lists during iteration', () => {
    const content = encodeMessage('v1.7', { sample: [{ value: [1n] }, {}, { link_index: 0 }] }, 'Profile')
    const lazy = new SchemaReader(content, 'v1.7', { lazy: true }).read('Profile')['sample'] as Iterable<Message>
    const eager = read(content, 'v1.7', 'Profile')['sample'] as Iterable<Message>
    expect([...lazy]).toEqual(eager)
    expect([...lazy]).toEqual([{ value: BigInt64Array.of(1n) }, {}, { link_index: 0 }])
    expect(lazy).toMatchObject({ length: 3 })
  })

  test('reads all kinds of values', () => {
    const attribute = {
      key: 'ключ',
      value: {
        kvlist_value: {
          values: [
            { key: 'd', value: { double_value: -0.5 } },
            { key: 'b', value: { bytes_value: bytes(0, 255) } },
            { key: 'e', value: {} },
          ],
        },
      },
    }
    expect(read(encodeMessage('v1.5', attribute, 'KeyValue'), 'v1.5', 'KeyValue')).toEqual(attribute)
  })
})

describe('SchemaReader on unknown and broken input', () => {
  test('counts unknown fields', () => {
    const reader = new SchemaReader(bytes(0xf8, 0x01, 1, 0x08, 5, 0x7a, 1, 0), 'v1.11')
    expect(reader.read('Sample')).toEqual({ stack_index: 5 })
    expect(reader.unknownFields).toBe(2)
  })

  test('names a field with the wrong wire type', () => {
    expect(() => read(bytes(0x08, 1, 0x18, 2, 0x1a, 0), 'v1.11', 'Sample')).toThrow(
      'Sample.link_index is length-delimited, expected varint at byte 4',
    )
    expect(() => read(bytes(0x29, 1, 2, 3, 4, 5, 6, 7, 8), 'v1.7', 'Sample')).toThrow(/Sample.link_index is fixed64/)
    expect(() => read(bytes(0x0d, 0, 0, 0, 0), 'v1.7')).toThrow(/ProfilesData.resource_profiles is fixed32/)
  })

  test.each([
    ['a length past the end', [0x0a, 5, 0], 1],
    ['a truncated varint', [0x12, 3, 0x2a, 1, 0x61, 0x80], 5],
    ['a packed list that ends inside a number', [0x1a, 1, 0x80], 2],
    ['a string that is not UTF-8', [0x12, 3, 0x2a, 1, 0xff], 4],
  ])('rejects %s', (_, content, offset) => {
    const message = content[0] === 0x1a ? 'Sample' : ROOT
    const attempt = (): Message => read(Uint8Array.from(content), 'v1.7', message)
    expect(attempt).toThrow(WireError)
    expect(attempt).toThrow(`at byte ${offset}`)
  })

  test('limits nesting', () => {
    const writer = new BackwardWriter(4096)
    for (let i = 0; i < 60; i++) {
      const mark = 0
      writer.messageHeader((1 << 3) | LEN, mark)
      writer.messageHeader((5 << 3) | LEN, mark)
    }
    expect(() => read(writer.finish().slice(), 'v1.11', 'AnyValue')).toThrow(/deeper than 100 levels/)
  })

  test('returns an object or throws WireError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(...GENERATIONS), (content, generation) => {
        try {
          read(content, generation)
        } catch (error) {
          expect(error).toBeInstanceOf(WireError)
        }
      }),
    )
  })
})
