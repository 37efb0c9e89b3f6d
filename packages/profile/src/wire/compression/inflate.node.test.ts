// gunzip against zlib, which only Node provides.
import { constants, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32 } from './crc32.ts'
import { GzipError, gunzip, gunzipSoFar } from './inflate.ts'

const LIMIT = 1 << 24

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return (state >>> 8) / 2 ** 24
  }
}

function noise(length: number, values: number, seed: number): Uint8Array {
  const next = random(seed)
  return Uint8Array.from({ length }, () => Math.floor(next() * values))
}

function folded(lines: number): Uint8Array {
  const next = random(7)
  let text = ''
  for (let i = 0; i < lines; i++) text += `main;run${Math.floor(next() ** 3 * 500)};gc${Math.floor(next() * 9)} ${i}\n`
  return new TextEncoder().encode(text)
}

// The uneven distribution produces codes of 15 bits, in literals and in distances.
function skewed(length: number): Uint8Array {
  const next = random(3)
  return Uint8Array.from({ length }, () => Math.min(255, Math.floor(-Math.log2(1 - next()) * 6)))
}

const INPUTS: Readonly<Record<string, Uint8Array>> = {
  empty: new Uint8Array(0),
  'one byte': Uint8Array.of(7),
  zeros: new Uint8Array(100_000),
  noise: noise(80_000, 256, 1),
  'few values': noise(80_000, 5, 2),
  skewed: skewed(100_000),
  folded: folded(5_000),
  'period of 300': Uint8Array.from({ length: 100_000 }, (_, i) => (i % 300) & 0xff),
  'far copies': Uint8Array.from([...noise(32_768, 256, 5), ...noise(32_768, 256, 5), ...noise(32_768, 256, 5)]),
}

describe.each(Object.entries(INPUTS))('gunzip of %s', (_, content) => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('matches zlib at level %i', level => {
    const packed = gzipSync(content, { level })
    expect(Buffer.compare(gunzip(packed, LIMIT), content)).toBe(0)
    expect(gunzip(packed, content.length)).toHaveLength(content.length)
    if (content.length > 0) expect(() => gunzip(packed, content.length - 1)).toThrow(GzipError)
  })

  test('returns as much of a truncated stream as zlib', () => {
    for (const level of [0, 1, 9]) {
      const packed = gzipSync(content, { level })
      for (let i = 0; i < 40; i++) {
        const cut = packed.subarray(0, 11 + Math.floor(((packed.length - 11) * i) / 40))
        const expected = gunzipSync(cut, { finishFlush: constants.Z_SYNC_FLUSH })
        expect(Buffer.compare(gunzipSoFar(cut, LIMIT), expected)).toBe(0)
      }
    }
  })

  test.each([constants.Z_FILTERED, constants.Z_HUFFMAN_ONLY, constants.Z_RLE, constants.Z_FIXED])(
    'matches zlib with strategy %i',
    strategy => {
      for (const memLevel of [1, 9]) {
        const packed = gzipSync(content, { strategy, memLevel, windowBits: memLevel === 1 ? 9 : 15 })
        expect(Buffer.compare(gunzip(packed, LIMIT), content)).toBe(0)
      }
    },
  )
})

test('gunzip reads random content in several members', () => {
  const part = fc.record({
    content: fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.string({ maxLength: 400 }).map(text => new TextEncoder().encode(text.repeat(5))),
    ),
    level: fc.integer({ min: 0, max: 9 }),
  })
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.nat({ max: 20 }), (parts, padding) => {
      const members = parts.map(({ content, level }) => gzipSync(content, { level }))
      const whole = Buffer.concat(parts.map(({ content }) => content))
      expect(Buffer.compare(gunzip(Buffer.concat([...members, new Uint8Array(padding)]), LIMIT), whole)).toBe(0)
    }),
  )
})

test('gunzip reads a stream that was flushed after every write', () => {
  const content = folded(300)
  const flushed = deflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH })
  const end = deflateRawSync(new Uint8Array(0))
  const crc = crc32(content, 0, content.length)
  const trailer = Buffer.alloc(8)
  trailer.writeInt32LE(crc, 0)
  trailer.writeUInt32LE(content.length, 4)
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  expect(Buffer.compare(gunzip(Buffer.concat([header, flushed, end, trailer]), LIMIT), content)).toBe(0)
})

test('gunzip accepts and rejects modified deflate streams like zlib', () => {
  const content = folded(40)
  const streams = [
    deflateRawSync(content),
    deflateRawSync(content, { strategy: constants.Z_FIXED }),
    deflateRawSync(noise(300, 4, 9)),
  ]
  const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }))
  // A stream starts with the description of its codes, which has the most rules.
  const early = fc.tuple(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 255 }))
  fc.assert(
    fc.property(
      fc.constantFrom(...streams),
      fc.array(fc.oneof(change, early), { minLength: 1, maxLength: 3 }),
      (stream, changes) => {
        const changed = Buffer.from(stream)
        for (const [at, mask] of changes) changed[at % changed.length] ^= mask
        let expected: Buffer | undefined
        let used = 0
        try {
          const result = inflateRawSync(changed, { info: true, maxOutputLength: LIMIT }) as unknown as {
            readonly buffer: Buffer
            readonly engine: { readonly bytesWritten: number }
          }
          expected = result.buffer
          used = result.engine.bytesWritten
        } catch {
          expected = undefined
        }
        const content = expected ?? new Uint8Array(0)
        const trailer = Buffer.alloc(8)
        trailer.writeInt32LE(crc32(content, 0, content.length), 0)
        trailer.writeUInt32LE(content.length, 4)
        const body = expected === undefined ? changed : changed.subarray(0, used)
        const packed = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), body, trailer])
        if (expected === undefined) expect(() => gunzip(packed, LIMIT)).toThrow(GzipError)
        else expect(Buffer.compare(gunzip(packed, LIMIT), expected)).toBe(0)
      },
    ),
    { numRuns: 2000 },
  )
})
