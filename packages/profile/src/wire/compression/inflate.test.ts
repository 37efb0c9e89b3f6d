// gunzip on hand-written streams, with one broken stream for each rule of the format.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32 } from './crc32.ts'
import { GzipError, gunzip, gunzipSoFar } from './inflate.ts'
import { decodeUtf8, encodeUtf8 } from '../utf8.ts'

const LIMIT = 1 << 20

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
const join = (...parts: readonly (Uint8Array | readonly number[])[]) =>
  Uint8Array.from(parts.flatMap(part => [...part]))

function errorOf(bytes: Uint8Array, limit = LIMIT): GzipError {
  try {
    gunzip(bytes, limit)
  } catch (error) {
    if (error instanceof GzipError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const int32 = (value: number) => [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24]
const HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
const trailer = (content: Uint8Array) => [...int32(crc32(content, 0, content.length)), ...int32(content.length)]
// A member of one stored block.
const stored = (content: Uint8Array, header: readonly number[] = HEADER) => {
  const length = [content.length & 0xff, content.length >> 8]
  return join(header, [1, ...length, length[0] ^ 0xff, length[1] ^ 0xff], content, trailer(content))
}
// Bits in the order they are read: codes from their first bit, numbers from their lowest.
function member(bits: string, content: Uint8Array = new Uint8Array(0)): Uint8Array {
  const packed = bits.replaceAll(' ', '').match(/.{1,8}/g) ?? []
  const body = packed.map(byte => Number.parseInt(byte.padEnd(8, '0').split('').reverse().join(''), 2))
  return join(HEADER, body, trailer(content))
}

// zlib at level 9: fixed codes, then dynamic ones.
const FIXED = fromHex('1f8b0800000000000203cb484d2c2ac950c8c0420100d9e14a611b000000')
const DYNAMIC = fromHex(
  '1f8b080000000000020365923b6e84210c84fb3d458e801f18ac3d4d94224ab15b44cafd23ec04e6f79603c8331fe3c7fbd7f3fefdf36cf7cf8f' +
    'b7767bfcc9b1246d494bea967349df92e3b16ded4b73df5a9696734f61a667802e6d673e85df3cfe3d1cdac947e9c9e789c5819e212d537961' +
    '72bb5231049d19dcae643cfd8a26ac958d2a1c640d3a552a783af5cad7d90b5f1f76e533081b3e062f826fe0903898a5b70949c2c5216bf039' +
    'e048fe3c102720b559fa23828f4b44c2cfcd0e19ff3f4b14e8e8bfc55a6387a6b347c36dc813589820a5013b955e534b97e4b09801cb0d4227' +
    '2c136cb7e6d6342fb02cad14cadaa8c07287d801cb068fd26dc0a0911bd84aabec9028600563879790d8cbe27ad95cb1daace8a4db2f060cd2' +
    'e817040000',
)
const DYNAMIC_TEXT = Array.from({ length: 60 }, (_, i) => `main;run${(i * 7) % 13};gc ${i * i}\n`).join('')

describe('gunzip', () => {
  test('reads stored, fixed and dynamic blocks', () => {
    expect(decodeUtf8(gunzip(FIXED, LIMIT))).toBe('hearth hearth hearth hearth')
    expect(decodeUtf8(gunzip(DYNAMIC, LIMIT))).toBe(DYNAMIC_TEXT)
    expect(gunzip(stored(new Uint8Array(0)), LIMIT)).toEqual(new Uint8Array(0))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000, size: 'max' }), content => {
        expect(gunzip(stored(content), LIMIT)).toEqual(content)
      }),
    )
  })

  test('reads several members followed by zeros', () => {
    const bytes = join(FIXED, stored(encodeUtf8('+')), stored(new Uint8Array(0)), DYNAMIC, new Uint8Array(700))
    expect(decodeUtf8(gunzip(bytes, LIMIT))).toBe(`hearth hearth hearth hearth+${DYNAMIC_TEXT}`)
  })

  test('skips header fields and checks the header CRC', () => {
    const header = [0x1f, 0x8b, 8, 31, 1, 2, 3, 4, 0, 255, 3, 0, 1, 0, 2, ...encodeUtf8('name\0comment\0')]
    const crc = crc32(Uint8Array.from(header), 0, header.length)
    const content = encodeUtf8('content')
    expect(gunzip(stored(content, [...header, crc & 0xff, (crc >> 8) & 0xff]), LIMIT)).toEqual(content)
    const wrong = errorOf(stored(content, [...header, (crc & 0xff) ^ 1, (crc >> 8) & 0xff]))
    expect(wrong.message).toBe(`gzip: the CRC of the header does not match at byte ${header.length}`)
  })

  test('reads a view into a larger buffer', () => {
    const padded = join([9, 9, 9], FIXED, [9, 9])
    expect(decodeUtf8(gunzip(padded.subarray(3, 3 + FIXED.length), LIMIT))).toBe('hearth hearth hearth hearth')
  })
})

describe('the limit of gunzip', () => {
  test('is exact', () => {
    expect(gunzip(FIXED, 27)).toHaveLength(27)
    expect(errorOf(FIXED, 26)).toMatchObject({ reason: 'limit' })
    expect(gunzip(DYNAMIC, DYNAMIC_TEXT.length)).toHaveLength(DYNAMIC_TEXT.length)
    expect(errorOf(DYNAMIC, DYNAMIC_TEXT.length - 1).reason).toBe('limit')
    expect(errorOf(stored(new Uint8Array(100)), 99).message).toMatch(/output is larger than the limit of 99 bytes/)
    expect(gunzip(stored(new Uint8Array(0)), 0)).toHaveLength(0)
    expect(errorOf(FIXED, 0).reason).toBe('limit')
  })

  test('applies to the sum of all members', () => {
    expect(errorOf(join(FIXED, FIXED), 53).reason).toBe('limit')
    expect(gunzip(join(FIXED, FIXED), 54)).toHaveLength(54)
  })
})

describe('gunzip of broken input', () => {
  test('reports every prefix of a stream as truncated', () => {
    for (const bytes of [FIXED, DYNAMIC, stored(encodeUtf8('stored'))]) {
      for (let end = 0; end < bytes.length; end++) {
        expect(errorOf(bytes.subarray(0, end))).toMatchObject({
          reason: 'corrupt',
          offset: end,
          message: `gzip: unexpected end of input at byte ${end}`,
        })
      }
    }
  })

  test('throws or returns the same content after one byte changed', () => {
    fc.assert(
      fc.property(fc.constantFrom(FIXED, DYNAMIC), fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, at, mask) => {
        const changed = bytes.slice()
        changed[at % bytes.length] ^= mask
        try {
          expect(gunzip(changed, LIMIT)).toEqual(gunzip(bytes, LIMIT))
        } catch (error) {
          expect(error).toBeInstanceOf(GzipError)
          expect((error as GzipError).offset).toBeLessThanOrEqual(bytes.length)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('rejects noise after a header', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), body => {
        expect(errorOf(join(HEADER, body), 5000)).toBeInstanceOf(GzipError)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['input that is not gzip', [0x50, 0x4b, 3, 4], 'no gzip header', 0],
    ['another method', [0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 3], 'unknown compression method 7', 2],
    ['a reserved flag', [0x1f, 0x8b, 8, 0x20, 0, 0, 0, 0, 0, 3], 'reserved header flags are set', 3],
    [
      'a broken header after the end',
      [...FIXED, 0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 0],
      'unknown compression method 7',
      FIXED.length + 2,
    ],
    ['an invalid stored length', [...HEADER, 1, 5, 0, 5, 0], 'invalid length of a stored block', 11],
  ])('rejects %s', (_, bytes, what, offset) => {
    expect(errorOf(Uint8Array.from(bytes))).toMatchObject({ message: `gzip: ${what} at byte ${offset}`, offset })
  })

  test.each([[[1]], [[0, 0, 1]], [[0x1f]], [[0x50, 0x4b, 3, 4]]])(
    'ignores bytes after the end, as gzip does: %j',
    bytes => {
      expect(gunzip(Uint8Array.from([...FIXED, ...bytes]), 5000)).toEqual(gunzip(Uint8Array.from(FIXED), 5000))
    },
  )

  test.each([
    ['block type 3', '1 11', 'invalid block type'],
    ['fixed length symbol 286', '1 10 11000110', 'invalid code of a literal or length'],
    ['fixed distance symbol 30', '1 10 00110000 0000001 11110', 'invalid code of a distance'],
    ['a copy from before the start', '1 10 00110000 0000001 00001', 'copy distance 2 exceeds the 1 bytes written'],
    ['287 literal codes', '1 01 01111 00000 0000', 'too many symbols in a code'],
    ['31 distance codes', '1 01 00000 01111 0000', 'too many symbols in a code'],
    ['no code lengths', '1 01 00000 00000 0000 000 000 000 000', 'invalid code of code lengths'],
    ['three codes of one bit', '1 01 00000 00000 0000 100 100 100 000', 'invalid code of code lengths'],
    [
      'a repeat without a previous length',
      '1 01 00000 00000 0000 100 000 000 100 1',
      'code length repeated before the first',
    ],
    ['too many zeros', '1 01 00000 00000 0000 000 000 100 100 1 1111111 1 1111111', 'too many code lengths'],
    [
      'no end of block',
      '1 01 00000 00000 0000 000 000 100 100 1 1111111 1 1011011',
      'no code for the end of the block',
    ],
  ])('rejects %s', (_, bits, what) => {
    // Padded with zeros, so that nothing is truncated.
    expect(errorOf(member(bits.padEnd(200, '0'))).message).toMatch(`gzip: ${what} at byte `)
  })

  test('rejects copies from the previous member', () => {
    const second = member('1 10 0000001 00000 0000000')
    expect(errorOf(join(FIXED, second)).message).toMatch('copy distance 1 exceeds the 0 bytes written')
  })
})

describe('gunzipSoFar', () => {
  test.each([
    ['stored', stored(encodeUtf8('main;run 1\n'.repeat(20)))],
    ['fixed', FIXED],
    ['dynamic', DYNAMIC],
    ['two members', join(FIXED, DYNAMIC)],
  ])('returns a prefix of the content for a truncated stream (%s)', (_, packed) => {
    const whole = gunzip(packed, LIMIT)
    let longest = 0
    for (let end = 0; end <= packed.length; end++) {
      const soFar = gunzipSoFar(packed.subarray(0, end), LIMIT)
      expect(soFar).toEqual(whole.subarray(0, soFar.length))
      expect(soFar.length).toBeGreaterThanOrEqual(longest)
      longest = soFar.length
    }
    // The content is complete before the trailer.
    expect(gunzipSoFar(packed.subarray(0, packed.length - 8), LIMIT)).toEqual(whole)
  })

  test('returns the content before an error, within the limit', () => {
    const wrongCrc = join(FIXED.subarray(0, -8), [1, 2, 3, 4], FIXED.subarray(-4))
    expect(() => gunzip(wrongCrc, LIMIT)).toThrow(GzipError)
    expect(decodeUtf8(gunzipSoFar(wrongCrc, LIMIT))).toBe('hearth hearth hearth hearth')
    expect(decodeUtf8(gunzipSoFar(join(FIXED, [1, 2, 3]), LIMIT))).toBe('hearth hearth hearth hearth')
    expect(gunzipSoFar(encodeUtf8('no gzip'), LIMIT)).toHaveLength(0)
    expect(() => gunzipSoFar(DYNAMIC.subarray(0, -20), 100)).toThrow('limit')
  })
})
