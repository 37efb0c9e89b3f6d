// The server on the main port: health, readiness, metrics, and what others add to it.
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Gatekeeper } from '../access/gatekeeper.ts'
import { AccessError } from '../access/gatekeeper.ts'
import type { AccessScope } from '../access/tokens.ts'
import { closeListener, listen, newListener } from '../http/listener.ts'
import type { Metrics } from '../observe/metrics.ts'

/** What is wrong now, in words, and since when. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly since: string
}

export interface Readiness {
  readonly ready: boolean
  readonly problems: readonly Problem[]
}

/** How long a client may take for a request, so that slow ones do not hold connections for ever. */
const REQUEST_TIMEOUT_MS = 60_000

/** Of what a path names: keys of attributes may be longer than the 100 that are usual. */
const MAX_PARAMETER = 4096

export interface HttpServerOptions {
  readonly gatekeeper: Gatekeeper
  readonly metrics: Metrics
  readonly readiness: () => Readiness
  readonly version: string
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** Origins whose pages may ask; none unless given, `*` for all. */
  readonly corsOrigins?: readonly string[]
  /** Routes of other folders. */
  readonly addRoutes?: (app: FastifyInstance) => void
  readonly onError: (error: unknown) => void
}

export class HttpServer {
  readonly #app: FastifyInstance
  readonly #options: HttpServerOptions

  constructor(options: HttpServerOptions) {
    this.#options = options
    const { tls } = options
    this.#app = newListener(tls, {
      requestTimeout: REQUEST_TIMEOUT_MS,
      routerOptions: { maxParamLength: MAX_PARAMETER },
      frameworkErrors: (error, request, reply) => {
        // Typed by a route, which there is none of.
        const answer = reply as unknown as FastifyReply
        void answer.code(badStatus(error)).send(badRequest(request.url, error))
      },
      clientErrorHandler: refuseBytes,
    })
    this.#addRoutes()
  }

  async listen(host: string, port: number): Promise<number> {
    return listen(this.#app, host, port)
  }

  /** What has not ended after `timeoutMs` is cut. */
  async close(timeoutMs: number): Promise<void> {
    await closeListener(this.#app, timeoutMs)
  }

  #addRoutes(): void {
    const { metrics, readiness, version } = this.#options
    const app = this.#app
    this.#allowOrigins()
    // Up as long as it can answer at all; whether requests are taken is /readyz.
    app.get('/healthz', async () => ({ status: 'ok', version }))
    // The second name is what Pyroscope calls it, for whoever probes one.
    for (const path of ['/readyz', '/ready']) {
      app.get(path, async (_request, reply) => {
        const state = readiness()
        return reply.code(state.ready ? 200 : 503).send(state)
      })
    }
    app.get('/metrics', async (request, reply) => {
      this.#identify(request, 'admin')
      return reply.type(metrics.registry.contentType).send(await metrics.text())
    })
    app.setNotFoundHandler(async (request, reply) => {
      if (!isApi(request.url)) return reply.code(404).send({ error: 'nothing is here' })
      const message = `no such path: ${request.url.split('?')[0].slice(0, 200)}`
      return reply.code(404).send({ error: { code: 'not-found', message } })
    })
    app.setErrorHandler((error, _request, reply) => this.#fail(error, reply))
    this.#options.addRoutes?.(app)
  }

  #allowOrigins(): void {
    const { corsOrigins = [] } = this.#options
    if (corsOrigins.length === 0) return
    void this.#app.register(cors, {
      origin: corsOrigins.includes('*') ? true : [...corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
      exposedHeaders: ['ETag', 'Retry-After', 'Content-Disposition', 'Hearth-Notes'],
      maxAge: 7200,
    })
  }

  #identify(request: FastifyRequest, scope: AccessScope): void {
    const scopeOrgId = request.headers['x-scope-orgid']
    this.#options.gatekeeper.identify(
      {
        authorization: request.headers.authorization,
        scopeOrgId: Array.isArray(scopeOrgId) ? scopeOrgId[0] : scopeOrgId,
      },
      scope,
    )
  }

  #fail(error: unknown, reply: FastifyReply): FastifyReply {
    if (error instanceof AccessError) {
      if (error.status === 401) void reply.header('www-authenticate', 'Bearer')
      return reply.code(error.status).send({ error: error.message })
    }
    const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
    if (status < 500 && error instanceof Error) return reply.code(status).send({ error: error.message })
    this.#options.onError(error)
    return reply.code(500).send({ error: 'the server failed; its log says why' })
  }
}

function isApi(url: string): boolean {
  return /^\/api(?:\/|\?|$)/.test(url)
}

/** Before there is a route: an address that cannot be read, or names something too long. */
function badRequest(url: string, { message }: Error): object {
  const said = message.slice(0, 200)
  return { error: isApi(url) ? { code: 'request', message: said } : said }
}

function badStatus({ statusCode = 400 }: { readonly statusCode?: number | undefined }): number {
  return statusCode >= 400 && statusCode < 500 ? statusCode : 400
}

const BYTE_FAULTS: Readonly<Partial<Record<string, readonly [status: string, message: string]>>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'the address and headers are larger than 16 KB; POST takes more',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not come whole in time'],
}

/** Bytes that are no request have no path, so this is said as the API says it. */
function refuseBytes({ code }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const [status, message] = BYTE_FAULTS[code ?? ''] ?? ['400 Bad Request', 'this is no HTTP request']
  const body = JSON.stringify({ error: { code: 'request', message } })
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.end(`${head}\r\n\r\n${body}`)
}
