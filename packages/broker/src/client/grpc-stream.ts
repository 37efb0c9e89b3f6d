// A bidirectional gRPC call on its own HTTP/2 session. It uses only Node's modules, because Node's sessions can be unref'd.
// A gRPC library keeps the process running while a call lasts.
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { connect, constants } from 'node:http2'
import { FrameReader, framed } from './message-frames.ts'

export interface TlsFiles {
  /** PEM files: the certificate authority, and the certificate and key of the client. */
  readonly ca?: string | Uint8Array
  readonly cert?: string | Uint8Array
  readonly key?: string | Uint8Array
}

export interface StreamOptions {
  readonly url: URL
  readonly path: string
  /** Only ASCII. */
  readonly metadata: Readonly<Record<string, string>>
  readonly tls: TlsFiles
  readonly maxMessageBytes: number
  readonly keepAliveMs: number
  /** Whether an open stream keeps the process running. */
  readonly keepsProcess: boolean
}

export interface StreamHandlers {
  readonly onMessage: (message: Uint8Array) => void
  /** Called when the stream accepts data again. */
  readonly onDrain: () => void
  /** Called once when the stream ends. */
  readonly onEnd: (end: StreamEnd) => void
}

export interface StreamEnd {
  /** The gRPC status; 14 (unavailable) if the server sent none. */
  readonly code: number
  readonly reason: string
}

const UNAVAILABLE = 14
const WINDOW = 4 * 1024 * 1024
const PING_TIMEOUT_MS = 10_000

export class GrpcStream {
  readonly #options: StreamOptions
  readonly #handlers: StreamHandlers
  readonly #frames: FrameReader
  #session: ClientHttp2Session | undefined
  #stream: ClientHttp2Stream | undefined
  #pings: NodeJS.Timeout | undefined
  #headers: IncomingHttpHeaders = {}
  #trailers: IncomingHttpHeaders = {}
  #hasEnded = false

  constructor(options: StreamOptions, handlers: StreamHandlers) {
    this.#options = options
    this.#handlers = handlers
    this.#frames = new FrameReader(options.maxMessageBytes)
    try {
      this.#open()
    } catch (error) {
      // Reported later, because the caller does not have the stream yet.
      queueMicrotask(() => this.#end(UNAVAILABLE, reasonOf(error)))
    }
  }

  /** Sends a message. Returns false if the caller should wait for `onDrain` before it sends more. */
  write(message: Uint8Array): boolean {
    return this.#stream !== undefined && !this.#hasEnded && this.#stream.write(framed(message))
  }

  get isBlocked(): boolean {
    return this.#stream?.writableNeedDrain ?? true
  }

  /** Half-closes the stream. The server then ends the call. */
  finish(): void {
    this.#stream?.end()
  }

  destroy(reason: string): void {
    this.#end(UNAVAILABLE, reason)
  }

  #open(): void {
    const { url, path, metadata, tls, keepAliveMs, keepsProcess } = this.#options
    const session = connect(url.origin, {
      ...(tls as { ca?: string; cert?: string; key?: string }),
      settings: { initialWindowSize: WINDOW, enablePush: false },
    })
    this.#session = session
    session.on('error', error => this.#end(UNAVAILABLE, reasonOf(error)))
    session.on('close', () => this.#end(UNAVAILABLE, 'the connection was closed'))
    session.on('connect', () => session.setLocalWindowSize(2 * WINDOW))
    if (!keepsProcess) session.unref()
    const stream = session.request({
      ...metadata,
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-accept-encoding': 'identity',
    })
    this.#stream = stream
    stream.on('response', headers => (this.#headers = headers))
    stream.on('trailers', (trailers: IncomingHttpHeaders) => (this.#trailers = trailers))
    stream.on('data', (chunk: Uint8Array) => this.#take(chunk))
    stream.on('drain', () => this.#handlers.onDrain())
    stream.on('error', error => this.#end(UNAVAILABLE, reasonOf(error)))
    // The server has ended the call, but its status may arrive slightly later.
    stream.on('end', () => setImmediate(() => this.#end(...this.#status())))
    stream.on('close', () => this.#end(...this.#status()))
    this.#pings = setInterval(() => this.#ping(session), keepAliveMs)
    if (!keepsProcess) this.#pings.unref()
  }

  #take(chunk: Uint8Array): void {
    const fault = this.#frames.add(chunk, message => {
      if (!this.#hasEnded) this.#handlers.onMessage(message)
    })
    if (fault !== undefined) this.#end(UNAVAILABLE, fault)
  }

  /** Detects dead connections by pings. */
  #ping(session: ClientHttp2Session): void {
    const timer = setTimeout(
      () => this.#end(UNAVAILABLE, 'the connection does not respond to pings'),
      PING_TIMEOUT_MS,
    ).unref()
    try {
      session.ping(() => clearTimeout(timer))
    } catch {
      clearTimeout(timer)
    }
  }

  #status(): [code: number, reason: string] {
    const field = (name: string): string | undefined => {
      const value = this.#trailers[name] ?? this.#headers[name]
      return Array.isArray(value) ? value[0] : value
    }
    const status = field('grpc-status')
    if (status !== undefined) return [Number(status), decoded(field('grpc-message') ?? '') || 'the call was ended']
    const http = Number(this.#headers[':status'] ?? 200)
    return [UNAVAILABLE, http === 200 ? 'the call ended without a status' : `HTTP status ${http}, not from gRPC`]
  }

  #end(code: number, reason: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearInterval(this.#pings)
    this.#stream?.close(constants.NGHTTP2_CANCEL)
    this.#session?.destroy()
    this.#handlers.onEnd({ code, reason })
  }
}

/** A connection error as one line. Tries at several addresses come as an AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}

function decoded(message: string): string {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}
