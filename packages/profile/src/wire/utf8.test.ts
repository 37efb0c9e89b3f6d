// UTF-8 against the encoder and decoder of the host, and every kind of invalid sequence.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeUtf8, encodeUtf8, encodeUtf8Into, firstInvalidUtf8, isUtf8, utf8Length } from './utf8.ts'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

function acceptedByHost(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}

// Any code units, including lone surrogates.
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0x7f }),
      fc.integer({ min: 0, max: 0xffff }),
      fc.constant(0xd83d),
      fc.constant(0xde00),
    ),
  )
  .map(codes => String.fromCharCode(...codes))
// Bytes near the limits of the encoding find more errors than random bytes.
const edgeByte = fc.constantFrom(
  0x00,
  0x61,
  0x7f,
  0x80,
  0x8f,
  0x90,
  0x9f,
  0xa0,
  0xbf,
  0xc0,
  0xc1,
  0xc2,
  0xdf,
  0xe0,
  0xe1,
  0xec,
  0xed,
  0xee,
  0xef,
  0xf0,
  0xf1,
  0xf3,
  0xf4,
  0xf5,
  0xff,
)
const edgeBytes = fc.array(edgeByte, { maxLength: 12 }).map(bytes => Uint8Array.from(bytes))

describe('isUtf8', () => {
  test.each([
    ['an overlong form of two bytes', [0xc0, 0xaf]],
    ['an overlong form of three bytes', [0xe0, 0x80, 0xaf]],
    ['an overlong form of four bytes', [0xf0, 0x80, 0x80, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a lone continuation byte', [0x80]],
    ['a truncated sequence', [0xe2, 0x82]],
    ['0xff', [0xff]],
  ])('rejects %s', (_, broken) => {
    const bytes = Uint8Array.from([0x61, ...broken])
    expect(isUtf8(bytes, 0, bytes.length)).toBe(false)
    expect(firstInvalidUtf8(bytes, 0, bytes.length)).toBe(1)
    expect(isUtf8(bytes, 0, 1)).toBe(true)
  })

  test('accepts the limits of every length', () => {
    const bytes = encodeUtf8('\0\x7f\x80\u07ff\u0800\ud7ff\ue000\ufffe\uffff\u{10000}\u{10ffff}\ufeff')
    expect(isUtf8(bytes, 0, bytes.length)).toBe(true)
    expect(firstInvalidUtf8(bytes, 0, bytes.length)).toBe(-1)
  })

  test('agrees with the host', () => {
    fc.assert(
      fc.property(edgeBytes, bytes => {
        const accepted = acceptedByHost(bytes)
        expect(isUtf8(bytes, 0, bytes.length)).toBe(accepted)
        const invalid = firstInvalidUtf8(bytes, 0, bytes.length)
        expect(invalid < 0).toBe(accepted)
        if (invalid >= 0) expect(acceptedByHost(bytes.subarray(0, invalid))).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('finds one invalid byte anywhere in a long run, at any alignment', () => {
    const whole = new Uint8Array(400).fill(0x61)
    for (let offset = 0; offset < 5; offset++) {
      const bytes = whole.subarray(offset, offset + 300)
      for (const from of [0, 1, 2, 3, 7]) {
        for (const to of [290, 297, 299, 300]) {
          expect(isUtf8(bytes, from, to)).toBe(true)
          for (const at of [from, from + 1, from + 3, from + 100, to - 4, to - 1]) {
            bytes[at] = 0x80
            expect(isUtf8(bytes, from, to)).toBe(false)
            expect(firstInvalidUtf8(bytes, from, to)).toBe(at)
            bytes[at] = 0x61
          }
        }
      }
    }
  })

  test('does not read outside its range', () => {
    const bytes = new Uint8Array(200).fill(0xff)
    bytes.fill(0x61, 3, 190)
    expect(isUtf8(bytes, 3, 190)).toBe(true)
    expect(isUtf8(bytes, 2, 190)).toBe(false)
    expect(isUtf8(bytes, 3, 191)).toBe(false)
    expect(isUtf8(bytes, 50, 50)).toBe(true)
  })
})

describe('decodeUtf8', () => {
  test('decodes ASCII of every length around the short path', () => {
    for (let length = 0; length < 80; length++) {
      const text = 'abcdefghij'.repeat(8).slice(0, length)
      expect(decodeUtf8(encodeUtf8(`x${text}y`), 1, 1 + length)).toBe(text)
    }
  })

  test('decodes any bytes like the host', () => {
    fc.assert(
      fc.property(fc.oneof(edgeBytes, fc.uint8Array({ maxLength: 100 })), bytes => {
        expect(decodeUtf8(bytes)).toBe(lenient.decode(bytes))
      }),
    )
  })

  test('keeps a byte order mark', () => {
    expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), 0, 4)).toBe('\ufeffa')
  })
})

describe('encodeUtf8', () => {
  test('encodes like the host with every function', () => {
    fc.assert(
      fc.property(anyText, text => {
        const expected = new TextEncoder().encode(text)
        expect(encodeUtf8(text)).toEqual(expected)
        expect(encodeUtf8(text.repeat(20))).toEqual(new TextEncoder().encode(text.repeat(20)))
        expect(utf8Length(text)).toBe(expected.length)
        const target = new Uint8Array(expected.length + 3)
        expect(encodeUtf8Into(text, target, 3)).toBe(target.length)
        expect(target.subarray(3)).toEqual(expected)
      }),
    )
  })

  test('replaces lone surrogates with U+FFFD', () => {
    expect(decodeUtf8(encodeUtf8('a\ud800b\udc00'), 0, 8)).toBe('a\ufffdb\ufffd')
  })

  test('throws if the target is too small', () => {
    expect(() => encodeUtf8Into('abc', new Uint8Array(4), 2)).toThrow(RangeError)
  })
})
