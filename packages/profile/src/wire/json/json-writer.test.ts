// The writer against JSON.stringify, and its errors for invalid calls.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from './json-reader.ts'
import { JsonReader } from './json-reader.ts'
import type { JsonWriterOptions } from './json-writer.ts'
import { JsonWriter } from './json-writer.ts'
import { decodeUtf8, encodeUtf8 } from '../utf8.ts'

function written(write: (writer: JsonWriter) => void, options?: JsonWriterOptions): string {
  const writer = new JsonWriter(options)
  write(writer)
  const bytes = writer.finish()
  return decodeUtf8(bytes)
}

test('writes a tree like JSON.stringify, on one line and indented', () => {
  // JSON.stringify writes -0 as 0, JsonWriter does not. Lone surrogates are tested below.
  const value = fc.jsonValue({
    stringUnit: fc.oneof(
      fc.constantFrom('"', '\\', '\n', '\x00', '\x1f', '\x7f', 'é', '€', '😀', '\u2028'),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
  })
  fc.assert(
    fc.property(value, tree => {
      const plain = JSON.parse(JSON.stringify(tree)) as JsonValue
      expect(written(writer => writer.value(plain))).toBe(JSON.stringify(plain))
      expect(written(writer => writer.value(plain), { indent: 2 })).toBe(JSON.stringify(plain, undefined, 2))
    }),
  )
})

test('writes the values of JsonReader, bigints included', () => {
  const text = '{"a":[18446744073709551615,-9223372036854775808,-0,1.5,"x"],"b":{},"c":[],"d":null,"e":false}'
  expect(written(writer => writer.value(new JsonReader(encodeUtf8(text)).value()))).toBe(text)
})

test('writes strings longer than a piece, with surrogate pairs at the boundary', () => {
  for (const text of [
    'x'.repeat(10_000),
    '😀'.repeat(5000),
    `a${'😀'.repeat(5000)}`,
    '\x01'.repeat(9000),
    'é'.repeat(4096),
  ]) {
    expect(written(writer => writer.string(text))).toBe(JSON.stringify(text))
    expect(written(writer => writer.stringBytes(encodeUtf8(text)))).toBe(JSON.stringify(text))
  }
})

test('writes a string from bytes like from text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat({ max: 5 }), (bytes, from) => {
      const start = Math.min(from, bytes.length)
      const expected = written(writer => writer.string(decodeUtf8(bytes, start, bytes.length)))
      expect(written(writer => writer.stringBytes(bytes, start))).toBe(expected)
    }),
  )
})

test('replaces lone surrogates with U+FFFD', () => {
  expect(written(writer => writer.string('a\ud800b'))).toBe('"a\ufffdb"')
})

describe('JsonWriter on numbers', () => {
  test('writes doubles that read back the same', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.maxSafeInteger(),
          fc.integer(),
          fc.constantFrom(-0, 2 ** 53, 1e21, 5e-324),
        ),
        value => {
          expect(JSON.parse(written(writer => writer.number(value)))).toBe(value)
        },
      ),
    )
  })

  test('writes NaN and infinities as strings', () => {
    const text = written(writer => {
      writer.beginArray()
      for (const value of [NaN, Infinity, -Infinity]) writer.number(value)
      writer.endArray()
    })
    expect(text).toBe('["NaN","Infinity","-Infinity"]')
  })

  test('writes 64-bit integers as strings', () => {
    const text = written(writer => {
      writer.beginArray()
      writer.int64String(-1, -1)
      writer.int64String(-1, -1, true)
      writer.int64String(0, -(2 ** 31))
      writer.int64String(1, 0x20_0000)
      writer.int64String(0, 0)
      writer.endArray()
    })
    expect(text).toBe('["-1","18446744073709551615","-9223372036854775808","9007199254740993","0"]')
  })
})

test('writes nested and raw values', () => {
  const text = written(writer => {
    writer.beginObject()
    writer.key('a"b')
    writer.raw('[1, 2]')
    writer.key('c')
    writer.raw(encodeUtf8('{"é":1}'))
    writer.key('d')
    writer.beginArray()
    writer.boolean(true)
    writer.nullValue()
    writer.endArray()
    writer.endObject()
    writer.string('next')
  })
  expect(text).toBe('{"a\\"b":[1, 2],"c":{"é":1},"d":[true,null]}\n"next"')
})

test('throws for calls that would not give JSON', () => {
  expect(() => written(writer => writer.beginArray())).toThrow('still open')
  expect(() => written(writer => writer.key('a'))).toThrow('unexpected key "a"')
  expect(() => written(writer => writer.endArray())).toThrow("unexpected ']'")
  const inObject = (write: (writer: JsonWriter) => void) => () =>
    written(writer => {
      writer.beginObject()
      write(writer)
    })
  expect(inObject(writer => writer.number(1))).toThrow('no key before a value')
  expect(inObject(writer => writer.endArray())).toThrow("unexpected ']'")
  expect(
    inObject(writer => {
      writer.key('a')
      writer.endObject()
    }),
  ).toThrow("unexpected '}'")
})
