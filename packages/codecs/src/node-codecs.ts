// Node's gzip and zstd, several times faster than the portable decoder and with a hard limit on the output.
// node:zlib has zstd from 22.15 on. Older versions use a native module.
import { Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import type { Codecs } from '@hearth/profile'
import {
  CompressionError,
  DEFAULT_LIMIT,
  compressionOf,
  decompress,
  formatBytes,
  portableCodecs,
} from '@hearth/profile'
import type * as ZstdModule from '@cloudpss/zstd'
import type { ZstdSizes } from './zstd-frames.ts'
import { ZstdError, firstBlocks, zstdBlocks, zstdSizes } from './zstd-frames.ts'

/** The best ratio of deflate. A trailer that claims a better one is wrong, so it is not used for an allocation. */
const BEST_DEFLATE_RATIO = 1032
const MIN_CHUNK = 64 * 1024

export const nodeCodecs: Codecs = {
  gunzip,
  unzstd,
  unzstdSoFar,
  gzip: bytes => zlib.gzipSync(bytes),
  zstd: compressZstd,
}

interface ZstdOfNode {
  zstdDecompressSync(bytes: Uint8Array, options: { maxOutputLength: number }): Uint8Array
  zstdCompressSync(bytes: Uint8Array): Uint8Array
}

function zstdOfNode(): ZstdOfNode | undefined {
  return 'zstdDecompressSync' in zlib ? (zlib as unknown as ZstdOfNode) : undefined
}

/** Only for versions of Node without zstd. Undefined if the package is missing, because an installation can omit optional packages. */
const installed = zstdOfNode() === undefined ? await import('@cloudpss/zstd').catch(() => undefined) : undefined

function zstdModule(): typeof ZstdModule {
  if (installed === undefined) throw new Error('zstd needs Node.js 22.15 or newer, or the package @cloudpss/zstd')
  return installed
}

function gunzip(bytes: Uint8Array, limit: number): Uint8Array {
  try {
    return zlib.gunzipSync(bytes, { maxOutputLength: limit, chunkSize: gzipChunk(bytes, limit) })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw error
    // Node rejects some bytes after the last member, which gzip ignores, and does not report the position of other faults. The
    // portable decoder does both right.
    return portableCodecs.gunzip(bytes, limit)
  }
}

/** The chunk size for all of the content if the trailer is plausible, so that chunks need not be joined. */
function gzipChunk(bytes: Uint8Array, limit: number): number {
  if (bytes.length < 18) return MIN_CHUNK
  const declared = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(bytes.length - 4, true)
  // A little more than declared, because zlib allocates another chunk of the same size if the first is full.
  return Math.max(MIN_CHUNK, Math.min(declared + 64, limit, bytes.length * BEST_DEFLATE_RATIO))
}

/** For Codecs, which are synchronous. Rejects content that might be too large; `unzstdByChunks` measures it. */
function unzstd(bytes: Uint8Array, limit: number): Uint8Array {
  const { bound } = checkedSizes(bytes, limit)
  const builtIn = zstdOfNode()
  if (builtIn === undefined && !fitsModule(bound, limit)) throw tooLarge(limit)
  const portable = builtIn === undefined ? zstdModule() : undefined
  try {
    return portable?.decompress(bytes) ?? builtIn!.zstdDecompressSync(bytes, { maxOutputLength: limit })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    throw corrupt(error)
  }
}

/** Decompresses the complete, valid blocks from the start. */
function unzstdSoFar(bytes: Uint8Array, limit: number): Uint8Array {
  let soFar: Uint8Array = new Uint8Array(0)
  // Each attempt decompresses a prefix of the blocks. Truncated data is usually valid up to the end, so the first attempt works.
  for (let least = 0, most = zstdBlocks(bytes), count = most; least < most; count = (least + most + 1) >>> 1) {
    try {
      soFar = unzstd(firstBlocks(bytes, count), limit)
      least = count
    } catch (error) {
      if (error instanceof CompressionError && error.reason === 'limit') throw error
      most = count - 1
    }
  }
  return soFar
}

/** Decompresses any zstd data: streams declare no size, and many small blocks have a high bound. */
export async function openZstd(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const { bound } = checkedSizes(bytes, limit)
  if (zstdOfNode() !== undefined || fitsModule(bound, limit)) return unzstd(bytes, limit)
  const { Decompressor } = zstdModule()
  if (typeof Decompressor !== 'function') return unzstd(bytes, limit)
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    const stream = Readable.from(slicesOf(bytes)).pipe(new Decompressor()) as AsyncIterable<Uint8Array>
    for await (const chunk of stream) {
      length += chunk.length
      // Leaving the loop destroys the stream.
      if (length > limit) throw tooLarge(limit)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof CompressionError) throw error
    throw corrupt(error)
  }
  return Buffer.concat(chunks, length)
}

/** Removes one layer of compression, if there is one. With `lenient`, truncated data is read as far as possible. */
export async function opened(stored: Uint8Array, lenient = false): Promise<ReturnType<typeof decompress>> {
  if (compressionOf(stored) !== 'zstd') return decompress(stored, nodeCodecs, DEFAULT_LIMIT, { lenient })
  try {
    return { bytes: await openZstd(stored, DEFAULT_LIMIT), compression: 'zstd', faults: [] }
  } catch (error) {
    if (!lenient || !(error instanceof CompressionError) || error.reason !== 'corrupt') throw error
    const soFar = await openZstdSoFar(stored, DEFAULT_LIMIT)
    const known: Codecs = { ...nodeCodecs, unzstd: () => fail(error), unzstdSoFar: () => soFar }
    return decompress(stored, known, DEFAULT_LIMIT, { lenient })
  }
}

function fail(error: Error): never {
  throw error
}

/** Truncated data is usually valid up to the end, and then any zstd data can be decompressed. */
async function openZstdSoFar(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await openZstd(firstBlocks(bytes, zstdBlocks(bytes)), limit)
  } catch (error) {
    if (!(error instanceof CompressionError) || error.reason !== 'corrupt') throw error
    return unzstdSoFar(bytes, limit)
  }
}

/** 4 KiB contain at most 1024 blocks, so one slice yields at most 128 MiB before the next check of the limit. */
const SLICE = 4096

function* slicesOf(bytes: Uint8Array): Generator<Buffer> {
  for (let p = 0; p < bytes.length; p += SLICE) {
    yield Buffer.from(bytes.buffer, bytes.byteOffset + p, Math.min(SLICE, bytes.length - p))
  }
}

/** The native module decompresses less than 1 GiB at once, and allocates the bound before it starts. */
const MODULE_LIMIT = 2 ** 30

function fitsModule(bound: number, limit: number): boolean {
  return bound <= limit && bound < MODULE_LIMIT
}

function checkedSizes(bytes: Uint8Array, limit: number): ZstdSizes {
  try {
    const sizes = zstdSizes(bytes)
    if (sizes.declared && sizes.bound > limit) throw tooLarge(limit)
    return sizes
  } catch (error) {
    if (!(error instanceof ZstdError)) throw error
    throw new CompressionError('zstd', 'corrupt', error.message, { offset: error.offset, cause: error })
  }
}

function corrupt(error: unknown): CompressionError {
  return new CompressionError('zstd', 'corrupt', `zstd: ${(error as Error).message}`, { cause: error })
}

function tooLarge(limit: number): CompressionError {
  return new CompressionError('zstd', 'limit', `zstd: output is larger than the limit of ${formatBytes(limit)}`)
}

function compressZstd(bytes: Uint8Array): Uint8Array {
  return zstdOfNode()?.zstdCompressSync(bytes) ?? zstdModule().compress(bytes)
}
