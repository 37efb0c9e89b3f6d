// OTLP over gRPC: unary calls on one HTTP/2 session of Node. Such a session can be unreferenced, so it does not keep the
// process running. The session of a gRPC library cannot, while a call is running.
import { gunzipSync } from 'node:zlib'
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { Destination } from '../configuration/options.ts'
import { partialSuccessIn, rpcStatusIn } from './responses.ts'
import type { Outcome, TlsOptions, Transport } from './transport.ts'
import { reasonOf } from '../record/reason-of.ts'
import { MAX_RESPONSE_BYTES, VERSION_HEADERS, tlsOptions } from './transport.ts'

const EXPORT = '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export'
/** One byte for the compression flag, four for the length. */
const PREFIX = 5
const RESOURCE_EXHAUSTED = 8
/** Cancelled, deadline exceeded, aborted, out of range, unavailable, data loss. */
const RETRYABLE: ReadonlySet<number> = new Set([1, 4, 10, 11, 14, 15])
const RETRYABLE_HTTP: ReadonlySet<number> = new Set([429, 502, 503, 504])

export class GrpcTransport implements Transport {
  readonly #destination: Destination
  readonly #headers: Readonly<Record<string, string>>
  readonly #tls: TlsOptions
  #session: ClientHttp2Session | undefined

  constructor(destination: Destination, userAgent: string, onProblem: (problem: string) => void) {
    this.#destination = destination
    const { headers, compression, timeoutMillis } = destination
    this.#tls = tlsOptions(destination, onProblem)
    this.#headers = {
      'user-agent': userAgent,
      ...VERSION_HEADERS,
      ...headers,
      ':method': 'POST',
      ':path': EXPORT,
      'content-type': 'application/grpc',
      te: 'trailers',
      // gRPC allows eight digits.
      'grpc-timeout': `${Math.min(timeoutMillis, 99_999_999)}m`,
      'grpc-accept-encoding': 'identity,gzip',
      ...(compression === 'none' ? {} : { 'grpc-encoding': compression }),
    }
  }

  send(body: Uint8Array): Promise<Outcome> {
    return new Promise(resolve => {
      const failed = (error: unknown): void => resolve({ kind: 'retry', why: reasonOf(error), afterMillis: undefined })
      try {
        const session = this.#open()
        const stream = session.request(this.#headers)
        const timer = setTimeout(() => {
          failed(`no response within ${this.#destination.timeoutMillis} ms`)
          // The connection may be dead without an error.
          session.destroy()
        }, this.#destination.timeoutMillis).unref()
        const response = new Response(stream)
        const lost = (error: Error): void => failed(error)
        session.once('error', lost)
        stream.on('error', failed).on('close', () => {
          clearTimeout(timer)
          session.removeListener('error', lost)
          resolve(response.outcome())
        })
        stream.end(this.#framed(body))
      } catch (error) {
        failed(error)
      }
    })
  }

  close(): void {
    this.#session?.destroy()
    this.#session = undefined
  }

  #open(): ClientHttp2Session {
    if (this.#session !== undefined) return this.#session
    // Loaded on demand: 2 MB.
    const { connect } = process.getBuiltinModule('node:http2')
    const session = connect(this.#destination.url.origin, this.#tls)
    const forget = (): void => {
      if (this.#session === session) this.#session = undefined
    }
    session.on('error', forget).on('close', forget).on('goaway', forget)
    session.unref()
    this.#session = session
    return session
  }

  #framed(body: Uint8Array): Buffer {
    const message = Buffer.allocUnsafe(PREFIX + body.length)
    message[0] = this.#destination.compression === 'none' ? 0 : 1
    message.writeUInt32BE(body.length, 1)
    message.set(body, PREFIX)
    return message
  }
}

/** The response of a call. The status follows the message, or, without a message, comes with the headers. */
class Response {
  readonly #chunks: Uint8Array[] = []
  #length = 0
  #headers: IncomingHttpHeaders = {}
  #trailers: IncomingHttpHeaders = {}

  constructor(stream: ClientHttp2Stream) {
    stream
      .on('response', headers => (this.#headers = headers))
      .on('trailers', (trailers: IncomingHttpHeaders) => (this.#trailers = trailers))
      .on('data', (chunk: Uint8Array) => {
        this.#length += chunk.length
        if (this.#length > MAX_RESPONSE_BYTES) stream.close()
        else this.#chunks.push(chunk)
      })
  }

  outcome(): Outcome {
    const status = this.#field('grpc-status')
    if (status === undefined) return this.#withoutStatus()
    const code = /^\d{1,3}$/.test(status) ? Number(status) : 2
    if (code === 0) {
      const partial = partialSuccessIn(this.#message(), 'protobuf')
      return partial === undefined ? { kind: 'accepted' } : { kind: 'partial', ...partial }
    }
    const details = rpcStatusIn(Buffer.from(this.#field('grpc-status-details-bin') ?? '', 'base64'), 'protobuf')
    const message = decoded(this.#field('grpc-message') ?? '') || details.message
    const why = `gRPC status ${code}${message === '' ? '' : `: ${message}`}`
    const afterMillis = details.retryAfterMillis
    const isRetryable = RETRYABLE.has(code) || (code === RESOURCE_EXHAUSTED && afterMillis !== undefined)
    return isRetryable ? { kind: 'retry', why, afterMillis } : { kind: 'rejected', why }
  }

  /** The message without its prefix, decompressed. grpc-go compresses a response like its request. Invalid bytes stay as they are. */
  #message(): Uint8Array {
    const framed = Buffer.concat(this.#chunks)
    const message = framed.subarray(PREFIX)
    if (framed[0] !== 1 || this.#headers['grpc-encoding'] !== 'gzip') return message
    try {
      return gunzipSync(message, { maxOutputLength: MAX_RESPONSE_BYTES })
    } catch {
      return message
    }
  }

  /** The outcome of a response by a proxy, or of none at all. */
  #withoutStatus(): Outcome {
    const http = Number(this.#headers[':status'] ?? 0)
    if (http === 0 || http === 200)
      return { kind: 'retry', why: 'the call ended without a status', afterMillis: undefined }
    const why = `HTTP status ${http} without a gRPC status`
    return RETRYABLE_HTTP.has(http) ? { kind: 'retry', why, afterMillis: undefined } : { kind: 'rejected', why }
  }

  #field(name: string): string | undefined {
    const value = this.#trailers[name] ?? this.#headers[name]
    return Array.isArray(value) ? value[0] : value
  }
}

function decoded(message: string): string {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}
