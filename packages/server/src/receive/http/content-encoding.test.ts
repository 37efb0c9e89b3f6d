import { randomBytes } from 'node:crypto'
import { deflateSync, gzipSync } from 'node:zlib'
import { nodeCodecs } from '@hearth/codecs'
import { describe, expect, test } from 'vitest'
import { lz4Literals, snappyLiterals } from '../testing/literal-compression.ts'
import { decoded } from './content-encoding.ts'
import type { Refusal } from '../refusal.ts'

const LIMIT = 1 << 20
const text = Buffer.from('a body that says the same thing, the same thing, the same thing')
const COMPRESSORS: readonly (readonly [string, (bytes: Uint8Array) => Uint8Array])[] = [
  ['gzip', gzipSync],
  ['zstd', bytes => nodeCodecs.zstd!(bytes)],
  ['deflate', deflateSync],
]

async function refusal(body: Uint8Array, encoding: string, limit = LIMIT): Promise<Refusal> {
  return decoded(body, encoding, limit).then(
    () => Promise.reject(new Error('the body was accepted')),
    (error: unknown) => error as Refusal,
  )
}

describe('decoded', () => {
  test.each(COMPRESSORS)('decompresses %s, in any spelling', async (name, compress) => {
    for (const spelling of [name, name.toUpperCase(), ` ${name} `])
      expect(Buffer.from(await decoded(compress(text), spelling, LIMIT))).toEqual(text)
  })

  test('returns uncompressed bodies unchanged', async () => {
    expect(await decoded(text, '', LIMIT)).toBe(text)
    expect(await decoded(text, 'identity', LIMIT)).toBe(text)
  })

  test.each(COMPRESSORS)('decompresses large %s bodies off the event loop', async (name, compress) => {
    const large = Buffer.concat([randomBytes(400_000), Buffer.alloc(400_000)])
    const sent = compress(large)
    expect(sent.length).toBeGreaterThan(256 * 1024)
    expect(Buffer.compare(await decoded(sent, name, LIMIT), large)).toBe(0)
    expect(await refusal(sent.subarray(0, -9), name)).toMatchObject({ http: 400, code: 3 })
    expect(await refusal(sent, name, 799_999)).toMatchObject({ http: 413, code: 8 })
  })

  test.each(COMPRESSORS)('accepts %s up to the limit and refuses one byte more', async (name, compress) => {
    const sent = compress(text)
    expect((await decoded(sent, name, text.length)).length).toBe(text.length)
    expect(await refusal(sent, name, text.length - 1)).toMatchObject({ http: 413, code: 8, reason: 'too-large' })
  })

  test('decompresses a small body with a large content off the event loop', async () => {
    const sent = gzipSync(Buffer.alloc(900_000))
    expect(sent.length).toBeLessThan(2000)
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    for (let i = 0; i < 20; i++) expect((await decoded(sent, 'gzip', LIMIT)).length).toBe(900_000)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(0)
  })

  test.each(COMPRESSORS)('does not open a %s bomb', async (name, compress) => {
    const bomb = compress(Buffer.alloc(64 << 20))
    expect(bomb.length).toBeLessThan(LIMIT)
    const { message, http } = await refusal(bomb, name)
    expect(http).toBe(413)
    expect(message).toMatch(/decompressed.*too large.*1048576 bytes.*smaller batches/)
  })

  test.each(COMPRESSORS)('refuses truncated and corrupt %s', async (name, compress) => {
    const sent = compress(text)
    for (const broken of [sent.subarray(0, sent.length - 3), sent.subarray(0, 5), new Uint8Array(0), text])
      expect(await refusal(broken, name)).toMatchObject({ http: 400, code: 3, reason: 'undecodable' })
  })

  test.each([
    ['snappy', snappyLiterals],
    ['x-snappy-framed', snappyLiterals],
    ['lz4', lz4Literals],
    ['zlib', deflateSync],
  ] as const)('decompresses %s with a limit', async (name, compress) => {
    expect(Buffer.from(await decoded(compress(text), name, LIMIT))).toEqual(text)
    expect(await refusal(compress(text), name, text.length - 1)).toMatchObject({ http: 413, reason: 'too-large' })
    expect(await refusal(compress(text).subarray(0, 5), name)).toMatchObject({ http: 400, reason: 'undecodable' })
  })

  test('decompresses zstd streams without a content size', async () => {
    // A frame of one raw block and no content size: magic, descriptor with a window, window of 1 KiB, block header.
    const block = Buffer.from([1 | (text.length << 3), text.length >> 5, 0])
    const frame = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0]), block, text])
    expect(Buffer.from(await decoded(frame, 'zstd', LIMIT))).toEqual(text)
  })

  test('refuses other encodings and several at once', async () => {
    for (const encoding of ['br', 'gzip, gzip'])
      expect(await refusal(text, encoding)).toMatchObject({ http: 415, code: 12 })
    expect((await refusal(text, 'br')).message).toBe(
      "unknown Content-Encoding 'br'; use identity, gzip, zstd, deflate, snappy, lz4",
    )
  })

  test('refuses uncompressed bodies above the limit', async () => {
    expect(await refusal(text, '', 10)).toMatchObject({ http: 413 })
    expect(await refusal(text, 'gzip', 10)).toMatchObject({ http: 413 })
  })
})
