// Detection of compressions, the choice of codecs, and errors.
import { describe, expect, test } from 'vitest'
import type { Codecs } from './compression.ts'
import { CompressionError, compressionOf, decompress, portableCodecs } from './compression.ts'
import { decodeUtf8, encodeUtf8 } from '../utf8.ts'

// 'hearth hearth hearth hearth', fixed codes.
const GZIP = Uint8Array.from([
  0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03, 0xcb, 0x48, 0x4d, 0x2c, 0x2a, 0xc9, 0x50, 0xc8, 0xc0, 0x42, 0x01, 0,
  0xd9, 0xe1, 0x4a, 0x61, 0x1b, 0, 0, 0,
])
const ZSTD = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00)

function errorOf(bytes: Uint8Array, codecs?: Codecs, limit?: number): CompressionError {
  try {
    decompress(bytes, codecs, limit)
  } catch (error) {
    if (error instanceof CompressionError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test.each([
  ['gzip', [0x1f, 0x8b]],
  ['none', [0x1f]],
  ['none', [0x1f, 0x8c, 8, 0]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['none', [0x28, 0xb5, 0x2f]],
  ['zstd', [0x50, 0x2a, 0x4d, 0x18]],
  ['zstd', [0x5f, 0x2a, 0x4d, 0x18, 0]],
  ['none', [0x60, 0x2a, 0x4d, 0x18]],
  ['none', []],
  ['none', [0x7b, 0x22, 0x61, 0x22]],
])('compressionOf returns %s for %j', (compression, bytes) => {
  expect(compressionOf(Uint8Array.from(bytes))).toBe(compression)
})

describe('decompress', () => {
  test('returns plain bytes unchanged', () => {
    const bytes = encodeUtf8('{"plain":true}')
    expect(decompress(bytes).bytes).toBe(bytes)
    expect(decompress(bytes).compression).toBe('none')
  })

  test('decompresses gzip without codecs of the host', () => {
    const { bytes, compression } = decompress(GZIP)
    expect(compression).toBe('gzip')
    expect(decodeUtf8(bytes)).toBe('hearth hearth hearth hearth')
  })

  test('prefers the given codecs and passes them the limit', () => {
    const calls: number[] = []
    const codec = (bytes: Uint8Array, limit: number) => {
      calls.push(bytes.length, limit)
      return encodeUtf8('from the host')
    }
    expect(decompress(GZIP, { gunzip: codec }, 50).bytes).toEqual(encodeUtf8('from the host'))
    expect(decompress(ZSTD, { ...portableCodecs, unzstd: codec }, 60)).toEqual({
      bytes: encodeUtf8('from the host'),
      compression: 'zstd',
      faults: [],
    })
    expect(calls).toEqual([GZIP.length, 50, ZSTD.length, 60])
  })

  test('removes one layer only', () => {
    const twice = decompress(GZIP, { gunzip: () => GZIP })
    expect(twice.bytes).toBe(GZIP)
  })

  test('reports a missing zstd decoder', () => {
    expect(errorOf(ZSTD)).toMatchObject({
      compression: 'zstd',
      reason: 'unsupported',
      message: 'zstd: this build has no zstd decoder; pass codecs.unzstd',
    })
  })

  test('reports that the limit was exceeded', () => {
    expect(errorOf(GZIP, portableCodecs, 26)).toMatchObject({
      compression: 'gzip',
      reason: 'limit',
      message: 'gzip: output is larger than the limit of 26 bytes',
    })
    const large = (): Uint8Array => new Uint8Array(5000)
    expect(errorOf(GZIP, { gunzip: large }, 1536).message).toBe('gzip: output is larger than the limit of 1.5 KiB')
    const refuses = (): never => {
      throw Object.assign(new RangeError('Cannot create a Buffer'), { code: 'ERR_BUFFER_TOO_LARGE' })
    }
    expect(errorOf(GZIP, { gunzip: refuses })).toMatchObject({
      reason: 'limit',
      message: 'gzip: output is larger than the limit of 1.0 GiB',
    })
  })

  test('reports the offset of broken input', () => {
    expect(errorOf(GZIP.subarray(0, 15))).toMatchObject({
      compression: 'gzip',
      reason: 'corrupt',
      offset: 15,
      message: 'gzip: unexpected end of input at byte 15',
    })
    const cause = new Error('incorrect header check')
    const failing = (): never => {
      throw cause
    }
    expect(errorOf(ZSTD, { ...portableCodecs, unzstd: failing })).toMatchObject({
      reason: 'corrupt',
      offset: undefined,
      message: 'zstd: incorrect header check',
      cause,
    })
  })
})

describe('decompress, lenient', () => {
  const lenient = { lenient: true }

  test('returns the intact part and reports its size and where the data ends', () => {
    const cut = GZIP.subarray(0, 18)
    expect(() => decompress(cut)).toThrow(CompressionError)
    const { bytes, compression, faults } = decompress(cut, portableCodecs, 1000, lenient)
    expect([compression, decodeUtf8(bytes)]).toEqual(['gzip', 'hearth '])
    const message = 'gzip: unexpected end of input at byte 18; 7 bytes were decompressed before that'
    expect(faults).toEqual([{ code: 'truncated-gzip', count: 1, message, isDamage: true }])
    expect(decompress(GZIP, portableCodecs, 1000, lenient).faults).toEqual([])
  })

  test('still throws if nothing was decompressed, the limit is exceeded or the decoder is missing', () => {
    expect(() => decompress(GZIP.subarray(0, 10), portableCodecs, 1000, lenient)).toThrow('unexpected end of input')
    expect(() => decompress(GZIP, portableCodecs, 5, lenient)).toThrow('limit')
    expect(() => decompress(ZSTD, portableCodecs, 1000, lenient)).toThrow('no zstd decoder')
  })

  test('uses the partial zstd decoder of the host', () => {
    const unzstd = (): never => {
      throw new Error('cut off')
    }
    expect(() => decompress(ZSTD, { ...portableCodecs, unzstd }, 1000, lenient)).toThrow('zstd: cut off')
    const unzstdSoFar = () => encodeUtf8('half')
    const opened = decompress(ZSTD, { ...portableCodecs, unzstd, unzstdSoFar }, 1000, lenient)
    expect(opened).toMatchObject({ bytes: encodeUtf8('half'), faults: [{ code: 'truncated-zstd' }] })
  })
})

describe('decompress of zlib and concatenated gzip', () => {
  // zlib.deflateSync('hearth\n')
  const ZLIB = Uint8Array.of(0x78, 0x9c, 0xcb, 0x48, 0x4d, 0x2c, 0x2a, 0xc9, 0xe0, 0x02, 0x00, 0x0b, 0x20, 0x02, 0x87)

  test('opens zlib data', () => {
    const { bytes, compression } = decompress(ZLIB)
    expect([compression, decodeUtf8(bytes)]).toEqual(['zlib', 'hearth\n'])
  })

  test('returns text that begins like zlib unchanged', () => {
    const text = encodeUtf8('x^y;main 3\n')
    expect(decompress(text)).toEqual({ bytes: text, compression: 'none', faults: [] })
  })

  test('notes bytes after the last gzip member, but not zeros', () => {
    const followed = (...bytes: readonly number[]): Uint8Array => Uint8Array.of(...GZIP, ...bytes)
    const faultsOf = (bytes: Uint8Array) => decompress(bytes).faults
    expect(decodeUtf8(decompress(followed(...GZIP)).bytes)).toBe(decodeUtf8(decompress(GZIP).bytes).repeat(2))
    expect(faultsOf(followed(...GZIP))).toEqual([])
    expect(faultsOf(followed(0, 0, 0, 0, 0, 0, 0, 0, 0))).toEqual([])
    const message = 'bytes after the gzip data were ignored'
    expect(faultsOf(followed(1, 2, 3))).toEqual([{ code: 'trailing-bytes', count: 3, message, isDamage: true }])
    expect(faultsOf(followed(...GZIP, 7))).toMatchObject([{ code: 'trailing-bytes', count: 1 }])
  })
})
