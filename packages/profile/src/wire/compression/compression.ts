// Detects compression by the first bytes of a payload and decompresses it, up to a limit, with the codecs of the host or
// with the portable ones.
import { GzipError, bytesAfterGzip, gunzip, gunzipSoFar, inflateZlib } from './inflate.ts'

export interface Codecs {
  readonly gunzip: (bytes: Uint8Array, limit: number) => Uint8Array
  readonly unzstd?: (bytes: Uint8Array, limit: number) => Uint8Array
  /** Returns the intact part of broken data, for lenient reading. Throws if there is none. */
  readonly unzstdSoFar?: (bytes: Uint8Array, limit: number) => Uint8Array
  readonly gzip?: (bytes: Uint8Array) => Uint8Array
  readonly zstd?: (bytes: Uint8Array) => Uint8Array
}

/** Codecs that work everywhere. Hosts provide faster ones, and zstd. */
export const portableCodecs: Codecs = { gunzip }

export type Compression = 'none' | 'gzip' | 'zlib' | 'zstd'

/** 1 GiB. */
export const DEFAULT_LIMIT = 2 ** 30

export type CompressionFault = 'limit' | 'corrupt' | 'unsupported'

export class CompressionError extends Error {
  override readonly name = 'CompressionError'
  readonly compression: Compression
  readonly reason: CompressionFault
  readonly offset: number | undefined

  constructor(
    compression: Compression,
    reason: CompressionFault,
    message: string,
    options: { readonly offset?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.compression = compression
    this.reason = reason
    this.offset = options.offset
  }
}

const ZLIB_LEVELS: ReadonlySet<number> = new Set([0x01, 0x5e, 0x9c, 0xda])

/** Decides by the magic numbers alone. */
export function compressionOf(bytes: Uint8Array): Compression {
  if (bytes.length >= 2 && bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip'
  // The header of zlib's four levels. Text can begin with it too, so only decompressing shows which it is.
  if (bytes.length >= 6 && bytes[0] === 0x78 && ZLIB_LEVELS.has(bytes[1])) return 'zlib'
  if (bytes.length < 4) return 'none'
  if (bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd) return 'zstd'
  // A skippable frame, which pzstd and others write first.
  if ((bytes[0] & 0xf0) === 0x50 && bytes[1] === 0x2a && bytes[2] === 0x4d && bytes[3] === 0x18) return 'zstd'
  return 'none'
}

export interface Opened {
  readonly bytes: Uint8Array
  readonly compression: Compression
  /** Notes about missing data in lenient mode, and about ignored bytes. */
  readonly faults: readonly CompressionNote[]
}

/** Has the shape of a format's Note. */
interface CompressionNote {
  readonly code: `truncated-${Exclude<Compression, 'none'>}` | 'trailing-bytes'
  readonly count: number
  readonly message: string
  readonly isDamage: true
}

export interface OpenOptions {
  /** Return the intact part of truncated or broken data, unless it is empty. */
  readonly lenient?: boolean | undefined
}

/** Removes one layer: data that was compressed twice is still compressed afterwards. */
export function decompress(
  bytes: Uint8Array,
  codecs: Codecs = portableCodecs,
  limit: number = DEFAULT_LIMIT,
  options: OpenOptions = {},
): Opened {
  const compression = compressionOf(bytes)
  if (compression === 'none') return { bytes, compression, faults: [] }
  if (compression === 'zlib') return openZlib(bytes, limit)
  const codec = compression === 'gzip' ? codecs.gunzip : codecs.unzstd
  if (codec === undefined) {
    throw new CompressionError(compression, 'unsupported', 'zstd: this build has no zstd decoder; pass codecs.unzstd')
  }
  try {
    const content = openWith(codec, bytes, compression, limit)
    return { bytes: content, compression, faults: compression === 'gzip' ? trailingBytes(bytes, content) : [] }
  } catch (error) {
    const soFar = compression === 'gzip' ? gunzipSoFar : codecs.unzstdSoFar
    if (options.lenient !== true || soFar === undefined || !isBroken(error)) throw error
    return partlyOpened(openWith(soFar, bytes, compression, limit), error)
  }
}

/** Bytes that only look like zlib are not compressed. */
function openZlib(bytes: Uint8Array, limit: number): Opened {
  try {
    return { bytes: openWith(inflateZlib, bytes, 'zlib', limit), compression: 'zlib', faults: [] }
  } catch (error) {
    if (!isBroken(error)) throw error
    return { bytes, compression: 'none', faults: [] }
  }
}

function trailingBytes(bytes: Uint8Array, content: Uint8Array): readonly CompressionNote[] {
  const count = bytesAfterGzip(bytes, content)
  if (count === 0) return []
  return [{ code: 'trailing-bytes', count, message: 'bytes after the gzip data were ignored', isDamage: true }]
}

/** Throws the error if nothing was decompressed. */
function partlyOpened(bytes: Uint8Array, error: CompressionError): Opened {
  const { compression } = error
  if (bytes.length === 0 || compression === 'none') throw error
  const message = `${error.message}; ${bytes.length} bytes were decompressed before that`
  return { bytes, compression, faults: [{ code: `truncated-${compression}`, count: 1, message, isDamage: true }] }
}

function isBroken(error: unknown): error is CompressionError {
  return error instanceof CompressionError && error.reason === 'corrupt'
}

function openWith(
  codec: (bytes: Uint8Array, limit: number) => Uint8Array,
  bytes: Uint8Array,
  compression: Compression,
  limit: number,
): Uint8Array {
  let opened: Uint8Array
  try {
    opened = codec(bytes, limit)
  } catch (error) {
    throw explained(compression, limit, error)
  }
  // A host's codec may treat the limit as advice.
  if (opened.length > limit) throw overLimit(compression, limit)
  return opened
}

function explained(compression: Compression, limit: number, error: unknown): CompressionError {
  if (error instanceof CompressionError) return error
  if (error instanceof GzipError) {
    if (error.reason === 'limit') return overLimit(compression, limit, { offset: error.offset, cause: error })
    return new CompressionError(compression, error.reason, error.message, { offset: error.offset, cause: error })
  }
  // The error of Node's zlib for maxOutputLength.
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ERR_BUFFER_TOO_LARGE') return overLimit(compression, limit, { cause: error })
  const what = error instanceof Error ? error.message : String(error)
  return new CompressionError(compression, 'corrupt', `${compression}: ${what}`, { cause: error })
}

function overLimit(
  compression: Compression,
  limit: number,
  options: { readonly offset?: number; readonly cause?: unknown } = {},
): CompressionError {
  const message = `${compression}: output is larger than the limit of ${binarySize(limit)}`
  return new CompressionError(compression, 'limit', message, options)
}

function binarySize(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  if (bytes < 1024) return `${bytes} bytes`
  let size = bytes / 1024
  let unit = 0
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024
  return `${size.toFixed(1)} ${units[unit]}`
}
