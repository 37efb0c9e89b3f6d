import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import type { ByteText } from './byte-text.ts'
import { quotedBase64, quotedHex, readBytes } from './byte-text.ts'
import { base64 } from './testing/generation-json.ts'

function read(json: string, text: ByteText): number[] {
  return [...readBytes(new JsonReader(encodeUtf8(json)), text)]
}

function offsetOfError(json: string, text: ByteText): number {
  try {
    read(json, text)
  } catch (error) {
    if (error instanceof JsonError) return error.offset
  }
  throw new Error(`${json} was read`)
}

const unquoted = (bytes: Uint8Array): string => decodeUtf8(bytes, 1, bytes.length - 1)

describe('hex text', () => {
  test('reads back the same bytes in lower and upper case', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        const text = quotedHex(bytes)
        expect(read(text, 'hex')).toEqual([...bytes])
        expect(read(text.toUpperCase(), 'hex')).toEqual([...bytes])
        expect(read(text, 'hex or base64')).toEqual([...bytes])
      }),
    )
  })

  test('reports the position of errors', () => {
    expect(offsetOfError('"00g0"', 'hex')).toBe(3)
    expect(offsetOfError('"000"', 'hex')).toBe(4)
    expect(offsetOfError('"0 "', 'hex')).toBe(2)
    expect(offsetOfError('"5b8efff798038103d269b633813fc60="', 'hex')).toBe(32)
    expect(offsetOfError('17', 'hex')).toBe(0)
  })
})

describe('base64 text', () => {
  test('reads back the same bytes in both alphabets, with and without padding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        const text = unquoted(quotedBase64(bytes))
        expect(text).toBe(base64(bytes))
        for (const spelling of [text, text.replaceAll('=', ''), text.replaceAll('+', '-').replaceAll('/', '_')]) {
          expect(read(`"${spelling}"`, 'base64')).toEqual([...bytes])
        }
      }),
    )
  })

  test('accepts an escaped slash', () => {
    expect(read('"\\/\\/\\/\\/"', 'base64')).toEqual([255, 255, 255])
  })

  test('reports the position of errors', () => {
    expect(offsetOfError('"AA*A"', 'base64')).toBe(3)
    expect(offsetOfError('"AAAAA*=="', 'base64')).toBe(6)
    expect(offsetOfError('"AAAAA"', 'base64')).toBe(6)
    expect(offsetOfError('"AAA=="', 'base64')).toBe(4)
    expect(offsetOfError('"AA=A"', 'base64')).toBe(3)
    expect(offsetOfError('"===="', 'base64')).toBe(1)
    // After escapes, offsets in the text and in its content differ, so the start is reported.
    expect(offsetOfError('"\\/*AA"', 'base64')).toBe(1)
  })
})

test('16 bytes are read as hex or base64 by their spelling', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), bytes => {
      expect(read(quotedHex(bytes), 'hex or base64')).toEqual([...bytes])
      expect(read(`"${base64(bytes)}"`, 'hex or base64')).toEqual([...bytes])
    }),
  )
  expect(offsetOfError('"000102030405060708090a0b0c0d0eoF"', 'hex or base64')).toBe(31)
})
