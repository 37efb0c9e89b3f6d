// Sends prepared responses and streamed files.
import { Readable } from 'node:stream'
import type { Transform } from 'node:stream'
import { createBrotliCompress, createGzip } from 'node:zlib'
import { COLUMNS_MEDIA_TYPE } from '@hearth/profile'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { varyBy } from '../../vary.ts'
import type { StreamedFile } from './file-response.ts'
import type { Encoding } from './negotiate.ts'
import { encodingFor } from './negotiate.ts'
import type { PreparedResponse } from './prepare-response.ts'
import { BROTLI, GZIP } from './prepare-response.ts'

/** Notes about data that the format of a file cannot hold: JSON, percent-encoded because headers are ASCII. */
const NOTES_HEADER = 'hearth-notes'

const VARY = ['accept', 'accept-encoding', 'authorization', 'x-scope-orgid']

export interface SendOptions {
  /** The header Cache-Control. */
  readonly cache: string
  /** Called with the number of bytes that stay in memory until they are sent. */
  readonly onLength: (bytes: number) => void
}

export function sendPrepared(
  request: FastifyRequest,
  reply: FastifyReply,
  response: PreparedResponse,
  { cache, onLength }: SendOptions,
): FastifyReply {
  const { content, tag, chunks, encoding, isEncoded } = response
  void reply.header('cache-control', cache)
  varyBy(reply, ...VARY)
  if (isKnown(request, reply, tag)) return reply.code(304).send()
  onLength(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  if (content === 'json') void reply.type('application/json; charset=utf-8')
  else if (content === 'columns') void reply.type(COLUMNS_MEDIA_TYPE)
  else void asDownload(reply, content.name).header(NOTES_HEADER, encodeURIComponent(JSON.stringify(content.notes)))
  if (chunks.length !== 1 || !(isEncoded || encoding === 'identity'))
    return sendReadable(reply, Readable.from(chunks, { objectMode: false }), encoding)
  if (encoding !== 'identity') void reply.header('content-encoding', encoding)
  return reply.send(bufferOf(chunks[0]))
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Without a tag, because a tag needs the complete content. `onError` is called if the stream fails. */
export function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { pieces, name, notes }: StreamedFile,
  onError: (error: unknown) => void,
): FastifyReply {
  void asDownload(reply, name).header('cache-control', 'private, no-store')
  if (notes.length > 0) void reply.header(NOTES_HEADER, encodeURIComponent(JSON.stringify(notes)))
  varyBy(reply, ...VARY)
  const source = Readable.from(pieces, { objectMode: false })
  source.on('error', onError)
  return sendReadable(reply, source, encodingFor(request.headers['accept-encoding']))
}

function asDownload(reply: FastifyReply, name: string): FastifyReply {
  const safe = name.replaceAll(/[^\w.-]/g, '_')
  return reply.type('application/octet-stream').header('content-disposition', `attachment; filename="${safe}"`)
}

function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  void reply.header('etag', tag)
  const known = (request.headers['if-none-match'] ?? '').split(',').map(text => text.trim().replace(/^W\//, ''))
  return (request.method === 'GET' || request.method === 'HEAD') && (known.includes(tag) || known.includes('*'))
}

function sendReadable(reply: FastifyReply, source: Readable, encoding: Encoding): FastifyReply {
  if (encoding === 'identity') return reply.send(source)
  void reply.header('content-encoding', encoding)
  const packed = compressor(encoding)
  source.on('error', error => packed.destroy(error))
  packed.on('close', () => source.destroy())
  return reply.send(source.pipe(packed))
}

function compressor(encoding: 'br' | 'gzip'): Transform {
  return encoding === 'gzip' ? createGzip(GZIP) : createBrotliCompress(BROTLI)
}
