// Decompresses bodies with a limit on the output. Bodies with a small content are decompressed synchronously, others off the
// event loop, so that one large request does not delay the others.
import { promisify } from 'node:util'
import { gunzip, gunzipSync, inflate, inflateSync } from 'node:zlib'
import { CodecError, openLz4, openSnappy, openZstd } from '@hearth/codecs'
import { CompressionError } from '@hearth/profile'
import { tooLarge, undecodable, unsupported } from '../refusal.ts'

/** Above this many decompressed bytes, or compressed ones, a thread of the pool pays off. 256 KiB take up to a millisecond. */
const SYNC_BELOW = 256 * 1024

const gunzipAsync = promisify(gunzip)
const inflateAsync = promisify(inflate)

const ENCODINGS = ['identity', 'gzip', 'zstd', 'deflate', 'snappy', 'lz4'] as const

/** Throws Refusal. */
export async function decoded(body: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  if (body.length > limit) throw tooLarge(limit, `the body has ${body.length} bytes`)
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return body
    case 'gzip':
    case 'x-gzip':
      return zlibOpened('gzip', body, limit)
    case 'deflate':
    case 'zlib':
      return zlibOpened('deflate', body, limit)
    case 'zstd':
      return zstdOpened(body, limit)
    case 'snappy':
    case 'x-snappy-framed':
      return opened('snappy', openSnappy, body, limit)
    case 'lz4':
      return opened('lz4', openLz4, body, limit)
    default:
      throw unsupported(`unknown Content-Encoding '${encoding}'; use ${ENCODINGS.join(', ')}`)
  }
}

async function zlibOpened(kind: 'gzip' | 'deflate', body: Uint8Array, limit: number): Promise<Uint8Array> {
  const options = { maxOutputLength: limit }
  try {
    const small = body.length < SYNC_BELOW ? smallContent(kind, body, limit) : undefined
    return small ?? (await (kind === 'gzip' ? gunzipAsync(body, options) : inflateAsync(body, options)))
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(limit, `the decompressed ${kind} body is too large`)
    throw undecodable(`invalid ${kind} body: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Undefined if the content is larger than a synchronous call may take. */
function smallContent(kind: 'gzip' | 'deflate', body: Uint8Array, limit: number): Uint8Array | undefined {
  const options = { maxOutputLength: Math.min(limit, SYNC_BELOW) }
  try {
    return kind === 'gzip' ? gunzipSync(body, options) : inflateSync(body, options)
  } catch (error) {
    if (limit > SYNC_BELOW && isTooLarge(error)) return undefined
    throw error
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}

function opened(kind: string, open: typeof openSnappy, body: Uint8Array, limit: number): Uint8Array {
  try {
    return open(body, limit)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    if (error.reason === 'limit') throw tooLarge(limit, `the decompressed ${kind} body is too large`)
    throw undecodable(`invalid ${kind} body: ${error.message}`)
  }
}

async function zstdOpened(body: Uint8Array, limit: number): Promise<Uint8Array> {
  // An empty input is valid zstd, but as the body of a request it was truncated.
  if (body.length === 0) throw undecodable('the zstd body is empty')
  try {
    return await openZstd(body, limit)
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error
    if (error.reason === 'limit') throw tooLarge(limit, 'the decompressed zstd body is too large')
    throw undecodable(`invalid zstd body: ${error.message}`)
  }
}
