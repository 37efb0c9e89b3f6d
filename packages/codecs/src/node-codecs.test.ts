import { gzipSync } from 'node:zlib'
import { CompressionError, compressionOf, decompress } from '@hearth/profile'
import { compress } from '@cloudpss/zstd'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeCodecs, openZstd, opened } from './node-codecs.ts'
import { ZstdError, firstBlocks, zstdBlocks, zstdSizes } from './zstd-frames.ts'

const LIMIT = 2 ** 20

/** A frame without a declared size. It has a window of 1 MiB, and each block repeats a byte. */
function streamed(...runs: readonly (readonly [byte: number, times: number])[]): Uint8Array {
  const blocks = runs.flatMap(([byte, times], i) => {
    const header = (times << 3) | (1 << 1) | (i === runs.length - 1 ? 1 : 0)
    return [header & 0xff, (header >> 8) & 0xff, header >> 16, byte]
  })
  return Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50, ...blocks])
}

function reasonOf(open: () => unknown): string {
  try {
    open()
  } catch (error) {
    if (error instanceof CompressionError) return error.reason
    throw error
  }
  return 'opened'
}

describe('gzip', () => {
  test('decompresses data of any size and with several members', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300_000 }), { maxLength: 3 }), parts => {
        const packed = Buffer.concat(parts.map(part => gzipSync(part)))
        if (parts.length === 0) return
        expect(Buffer.from(decompress(packed, nodeCodecs, LIMIT).bytes).equals(Buffer.concat(parts))).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  test('ignores bytes after the last member with a note', () => {
    const packed = Buffer.concat([gzipSync(Buffer.from('main 1')), Buffer.from('junk')])
    const { bytes, faults } = decompress(packed, nodeCodecs, LIMIT)
    expect(Buffer.from(bytes).toString()).toBe('main 1')
    expect(faults).toMatchObject([{ code: 'trailing-bytes', count: 4 }])
  })

  test('stops at the limit, independent of the trailer', () => {
    const packed = gzipSync(new Uint8Array(LIMIT + 1))
    expect(reasonOf(() => decompress(packed, nodeCodecs, LIMIT))).toBe('limit')
    packed.writeUInt32LE(7, packed.length - 4)
    expect(reasonOf(() => decompress(packed, nodeCodecs, LIMIT))).toBe('limit')
  })

  test('reports the position at which data is truncated', () => {
    const packed = gzipSync(Buffer.from('main;run 1\n'.repeat(100)))
    const cut = packed.subarray(0, packed.length - 9)
    expect(() => decompress(cut, nodeCodecs, LIMIT)).toThrow(
      expect.objectContaining({ reason: 'corrupt', offset: cut.length }),
    )
  })
})

describe('zstd', () => {
  test('decompresses data', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300_000 }), async content => {
        const packed = nodeCodecs.zstd!(content)
        expect(compressionOf(packed)).toBe('zstd')
        expect(Buffer.from(await openZstd(packed, LIMIT)).equals(content)).toBe(true)
        expect(Buffer.from(decompress(packed, nodeCodecs, LIMIT).bytes).equals(content)).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  test('decompresses several frames without a declared size', async () => {
    const packed = Buffer.concat([streamed([97, 3], [98, 2]), compress(Buffer.from('cd'))])
    expect(zstdSizes(packed)).toEqual({ bound: 7, declared: false })
    expect(Buffer.from(await openZstd(packed, LIMIT)).toString()).toBe('aaabbcd')
  })

  test('decompresses data whose bound, but not its size, is above the limit', async () => {
    // 16 compressed blocks have a bound of 2 MiB.
    const small = compress(Buffer.from('abcdefgh'.repeat(100)))
    const undeclared = Buffer.concat(Array.from({ length: 16 }, () => withoutSize(small)))
    expect(zstdSizes(undeclared)).toEqual({ bound: 16 * 131_072, declared: false })
    expect((await openZstd(undeclared, LIMIT)).length).toBe(16 * 800)
  })

  test('rejects a declared size above the limit before it allocates', () => {
    expect(reasonOf(() => decompress(compress(new Uint8Array(LIMIT + 1)), nodeCodecs, LIMIT))).toBe('limit')
  })

  test('stops at the limit for a bomb of repeated bytes', async () => {
    const bomb = streamed(...Array.from({ length: 20_000 }, () => [0, 131_072] as const))
    await expect(openZstd(bomb, LIMIT)).rejects.toMatchObject({ reason: 'limit' })
    expect(reasonOf(() => nodeCodecs.unzstd!(bomb, LIMIT))).toBe('limit')
  })

  test('rejects a declared size that the blocks cannot have', () => {
    const packed = Buffer.from(compress(Buffer.from('abcdefgh'.repeat(1000))))
    const at = packed.indexOf(Buffer.from([0x40, 0x1e])) // 8000 - 256
    expect(at).toBe(5)
    const lying = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0]),
      eightBytes(2n ** 40n),
      packed.subarray(7),
    ])
    expect(() => zstdSizes(lying)).toThrow('declares 1099511627776 bytes but has blocks for at most 131072')
    expect(reasonOf(() => decompress(lying, nodeCodecs))).toBe('corrupt')
  })

  test('reports the position of truncated data', () => {
    const packed = compress(Buffer.from('abcdefgh'.repeat(1000)))
    for (let length = 5; length < packed.length; length++) {
      expect(() => zstdSizes(packed.subarray(0, length))).toThrow(ZstdError)
    }
    expect(() => zstdSizes(packed.subarray(0, packed.length - 1))).toThrow(`at byte ${packed.length - 1}`)
  })

  test('returns sizes or throws ZstdError for random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), tail => {
        try {
          zstdSizes(Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, ...tail]))
        } catch (error) {
          expect(error).toBeInstanceOf(ZstdError)
        }
      }),
    )
  })
})

describe('lenient decompression of truncated data', () => {
  // About 2 MB that do not compress well, so they take more than ten blocks.
  const content = Buffer.from(Array.from({ length: 150_000 }, (_, i) => `main;f${(i * 7919) % 10_007} ${i}`).join('\n'))

  test('returns the readable part of gzip', async () => {
    const packed = gzipSync(content)
    for (const part of [0.1, 0.5, 0.9]) {
      const { bytes, faults } = await opened(packed.subarray(0, Math.floor(packed.length * part)), true)
      expect(bytes.length).toBeGreaterThan(content.length * (part - 0.1))
      expect(content.subarray(0, bytes.length).equals(bytes)).toBe(true)
      expect(faults).toMatchObject([{ code: 'truncated-gzip', count: 1 }])
      expect(faults[0].message).toContain(`${bytes.length} bytes were decompressed`)
    }
  })

  test.each([
    ['of one frame', compress(content)],
    ['of several frames', Buffer.concat([compress(content), compress(content)])],
    ['behind a skippable frame', Buffer.concat([Buffer.from('502a4d1803000000616263', 'hex'), compress(content)])],
  ])('returns the complete blocks of zstd, %s', async (_, packed) => {
    const before = Buffer.from(packed)
    const whole = Buffer.from(await openZstd(packed, 2 ** 24))
    for (const part of [0.2, 0.45, 0.9]) {
      const cut = packed.subarray(0, Math.floor(packed.length * part))
      await expect(opened(cut)).rejects.toMatchObject({ reason: 'corrupt', offset: cut.length })
      const { bytes, faults } = await opened(cut, true)
      expect(bytes.length).toBeGreaterThan(whole.length * (part - 0.15))
      expect(whole.subarray(0, bytes.length).equals(bytes)).toBe(true)
      expect(faults).toMatchObject([{ code: 'truncated-zstd', count: 1 }])
      const soFar = nodeCodecs.unzstdSoFar!(cut, 2 ** 24)
      expect(Buffer.from(soFar).equals(bytes)).toBe(true)
    }
    expect(before.equals(packed)).toBe(true)
  })

  test('stops at the first corrupt block', () => {
    const packed = Buffer.from(compress(content))
    expect(zstdBlocks(packed)).toBeGreaterThan(10)
    packed.fill(0xff, packed.length >> 1, (packed.length >> 1) + 2000)
    const soFar = Buffer.from(nodeCodecs.unzstdSoFar!(packed, 2 ** 24))
    expect(soFar.length).toBeGreaterThan(content.length / 4)
    expect(soFar.length).toBeLessThan(content.length)
  })

  test('fails if nothing is readable', async () => {
    await expect(opened(compress(content).subarray(0, 30), true)).rejects.toBeInstanceOf(CompressionError)
    await expect(opened(gzipSync(content).subarray(0, 12), true)).rejects.toBeInstanceOf(CompressionError)
  })

  test('never throws for random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), tail => {
        const bytes = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, ...tail])
        expect(zstdBlocks(firstBlocks(bytes, zstdBlocks(bytes)))).toBe(zstdBlocks(bytes))
        expect(reasonOf(() => nodeCodecs.unzstdSoFar!(bytes, LIMIT))).toMatch(/^(opened|limit)$/)
      }),
    )
  })
})

/** The frame with a window instead of its content size. */
function withoutSize(frame: Uint8Array): Uint8Array {
  expect(frame[4]).toBe(0x60) // one segment, a size of two bytes, no checksum
  return Buffer.concat([frame.subarray(0, 4), Uint8Array.from([0x00, 0x50]), frame.subarray(7)])
}

function eightBytes(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
