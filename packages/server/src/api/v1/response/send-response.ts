// Answers on the wire: JSON or columns, in pieces, compressed where that is welcome, with a tag by which they are known again.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Transform } from 'node:stream'
import type { BrotliOptions, ZlibOptions } from 'node:zlib'
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib'
import { COLUMNS_MEDIA_TYPE, encodeColumns } from '@hearth/profile'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { varyBy } from '../../vary.ts'
import type { FileAnswer, StreamAnswer } from '../request/request-context.ts'
import type { Encoding } from './negotiate.ts'
import { encodingFor, takesColumns } from './negotiate.ts'
import { columnsOf, jsonPieces } from './response-columns.ts'

/** What a file could not carry, as JSON in a URI's encoding: headers hold ASCII only. */
export const NOTES_HEADER = 'hearth-notes'

/** Below it compression saves less than a packet. */
const LEAST_COMPRESSED = 1400
/** Compressed here, in some 4 ms: as a stream each piece waits for a thread of the pool, which the engine's queries use too. */
const MOST_AT_ONCE = 262_144
/** What one that reads nothing may hold up: memory, and of what is read as it is sent a turn and the engine too. */
const STALL_MS = 60_000
const VARY = ['accept', 'accept-encoding', 'authorization', 'x-scope-orgid']

export interface SendOptions {
  /** Whether this answer is there as columns too. */
  readonly hasColumns: boolean
  /** Cache-Control. */
  readonly cache: string
  /** Told about how many bytes are held in memory until they are sent. */
  readonly onLength: (bytes: number) => void
}

export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: object,
  { hasColumns, cache, onLength }: SendOptions,
): FastifyReply {
  const asColumns = hasColumns && takesColumns(request.headers.accept)
  const pieces = encodeColumns(columnsOf(answer))
  const encoding = encodingFor(request.headers['accept-encoding'])
  const tag = tagOf(pieces, asColumns ? 'c' : 'j', encoding)
  void reply.header('cache-control', cache)
  varyBy(reply, ...VARY)
  if (isKnown(request, reply, tag)) return reply.code(304).send()
  onLength(pieces.reduce((sum, piece) => sum + piece.length, 0))
  void reply.type(asColumns ? COLUMNS_MEDIA_TYPE : 'application/json; charset=utf-8')
  const chunks = asColumns ? joined(pieces) : encoded(jsonPieces(answer))
  return sendChunks(reply, chunks, encoding)
}

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, name, notes }: FileAnswer,
  { cache, onLength }: Omit<SendOptions, 'hasColumns'>,
): FastifyReply {
  const encoding = encodingFor(request.headers['accept-encoding'])
  void reply.header('cache-control', cache)
  varyBy(reply, ...VARY)
  if (isKnown(request, reply, tagOf([bytes], 'f', encoding))) return reply.code(304).send()
  onLength(bytes.length)
  void asDownload(reply, name).header(NOTES_HEADER, encodeURIComponent(JSON.stringify(notes)))
  return sendChunks(reply, [bytes], encoding)
}

/** Without a tag, which would need everything beforehand. `onError` is told what breaks it off. */
export function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { pieces, name }: StreamAnswer,
  onError: (error: unknown) => void,
): FastifyReply {
  void asDownload(reply, name).header('cache-control', 'private, no-store')
  varyBy(reply, ...VARY)
  const source = Readable.from(pieces, { objectMode: false })
  source.on('error', onError)
  return sendReadable(reply, source, encodingFor(request.headers['accept-encoding']))
}

function asDownload(reply: FastifyReply, name: string): FastifyReply {
  const safe = name.replaceAll(/[^\w.-]/g, '_')
  return reply.type('application/octet-stream').header('content-disposition', `attachment; filename="${safe}"`)
}

/** One content has one tag in each form: what was not changed by a proxy is compared byte by byte. */
function tagOf(pieces: readonly Uint8Array[], form: string, encoding: Encoding): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  const content = hash.digest('base64url').slice(0, 27)
  return `"${content}-${form}${encoding === 'identity' ? '' : `-${encoding}`}"`
}

function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  void reply.header('etag', tag)
  const known = (request.headers['if-none-match'] ?? '').split(',').map(text => text.trim().replace(/^W\//, ''))
  return (request.method === 'GET' || request.method === 'HEAD') && (known.includes(tag) || known.includes('*'))
}

function* encoded(pieces: Iterable<string>): Generator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

const PIECE = 65_536

/** Pieces of a few bytes go with their neighbours, and those of megabytes by parts, so that none waits for a whole one. */
function* joined(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let few: Uint8Array[] = []
  let length = 0
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += PIECE) {
      const part = piece.subarray(from, from + PIECE)
      few.push(part)
      length += part.length
      if (length < PIECE) continue
      yield Buffer.concat(few)
      few = []
      length = 0
    }
  }
  if (length > 0) yield Buffer.concat(few)
}

function sendChunks(reply: FastifyReply, chunks: Iterable<Uint8Array>, encoding: Encoding): FastifyReply {
  const iterator = chunks[Symbol.iterator]()
  const begun: Uint8Array[] = []
  let length = 0
  let next = iterator.next()
  for (; next.done !== true && length <= MOST_AT_ONCE; next = iterator.next()) {
    begun.push(next.value)
    length += next.value.length
  }
  if (next.done === true && (encoding === 'identity' || length <= MOST_AT_ONCE)) {
    return sendWhole(reply, wholeOf(begun, length), encoding)
  }
  function* all(): Generator<Uint8Array> {
    yield* begun
    for (; next.done !== true; next = iterator.next()) yield next.value
  }
  return sendReadable(reply, Readable.from(all(), { objectMode: false }), encoding)
}

function wholeOf(pieces: readonly Uint8Array[], length: number): Buffer {
  const [first] = pieces
  return pieces.length === 1
    ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
    : Buffer.concat(pieces, length)
}

function sendWhole(reply: FastifyReply, bytes: Buffer, encoding: Encoding): FastifyReply {
  if (encoding === 'identity' || bytes.length < LEAST_COMPRESSED) return reply.send(bytes)
  void reply.header('content-encoding', encoding)
  return reply.send(encoding === 'gzip' ? gzipSync(bytes, GZIP) : brotliCompressSync(bytes, BROTLI))
}

function sendReadable(reply: FastifyReply, source: Readable, encoding: Encoding): FastifyReply {
  // Where nothing waits to be read, it is the engine that takes its time.
  reply.raw.setTimeout(STALL_MS, () => reply.raw.writableNeedDrain && reply.raw.destroy())
  if (encoding === 'identity') return reply.send(source)
  void reply.header('content-encoding', encoding)
  const packed = compressor(encoding)
  source.on('error', error => packed.destroy(error))
  packed.on('close', () => source.destroy())
  return reply.send(source.pipe(packed))
}

/** Of 4.1 MB of columns (100,000 nodes of random shape and values) gzip makes 1.50 MB in 66 ms of CPU, brotli 1.54 MB in 23. */
const GZIP: ZlibOptions = { level: 3 }
const BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

function compressor(encoding: 'br' | 'gzip'): Transform {
  return encoding === 'gzip' ? createGzip(GZIP) : createBrotliCompress(BROTLI)
}
