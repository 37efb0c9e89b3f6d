// The server on the main port: health, readiness, metrics, and the routes of other folders.
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Gatekeeper } from '../access/gatekeeper.ts'
import { AccessError, headerCredentials } from '../access/gatekeeper.ts'
import { sessionOf } from '../access/session-cookie.ts'
import type { SiteRules } from '../access/site-rules.ts'
import type { AccessScope } from '../access/tokens.ts'
import { closeListener, listen, newListener } from '../http/listener.ts'
import type { Metrics } from '../observe/metrics.ts'

/** A current problem and since when it exists. */
interface ReportedProblem {
  readonly code: string
  readonly message: string
  readonly since: string
}

export interface Readiness {
  readonly ready: boolean
  readonly problems: readonly ReportedProblem[]
}

/** Length limit of path parameters. Attribute keys may exceed the usual 100. */
const MAX_PARAMETER = 4096

export interface HttpServerOptions {
  readonly gatekeeper: Gatekeeper
  readonly metrics: Metrics
  readonly readiness: () => Readiness
  readonly version: string
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly site: SiteRules
  readonly clientTimeoutMs?: number
  /** Routes of other folders. */
  readonly addRoutes?: (app: FastifyInstance) => void
  readonly onError: (error: unknown) => void
}

export class HttpServer {
  readonly #app: FastifyInstance
  readonly #options: HttpServerOptions

  constructor(options: HttpServerOptions) {
    this.#options = options
    const { tls, site } = options
    this.#app = newListener(tls, site, {
      ...(options.clientTimeoutMs === undefined ? {} : { clientTimeoutMs: options.clientTimeoutMs }),
      routerOptions: { maxParamLength: MAX_PARAMETER },
      frameworkErrors: (error, request, reply) => {
        // Routes set the type, and there is none here.
        const response = reply as unknown as FastifyReply
        void response.code(badStatus(error)).send(badRequest(request.url, error))
      },
      clientErrorHandler: refuseBytes,
    })
    this.#addRoutes()
  }

  async listen(host: string, port: number): Promise<number> {
    return listen(this.#app, host, port)
  }

  /** Requests that have not ended after `timeoutMs` are aborted. */
  async close(timeoutMs: number): Promise<void> {
    await closeListener(this.#app, timeoutMs)
  }

  #addRoutes(): void {
    const { metrics, readiness, version } = this.#options
    const app = this.#app
    this.#allowOrigins()
    // The process is up if it can respond at all. /readyz says whether it accepts requests.
    app.get('/healthz', async () => ({ status: 'ok', version }))
    // The second name is Pyroscope's, for existing probes.
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
      if (!isApi(request.url)) return reply.code(404).send({ error: 'not found' })
      const message = `no such path: ${request.url.split('?')[0].slice(0, 200)}`
      return reply.code(404).send({ error: { code: 'not-found', message } })
    })
    app.setErrorHandler((error, _request, reply) => this.#fail(error, reply))
    this.#options.addRoutes?.(app)
  }

  #allowOrigins(): void {
    const { corsOrigins = [] } = this.#options.site
    if (corsOrigins.length === 0) return
    void this.#app.register(cors, {
      origin: corsOrigins.includes('*') ? true : [...corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
      exposedHeaders: [
        'ETag',
        'Retry-After',
        'Content-Disposition',
        'Hearth-Notes',
        'Hearth-Missing-Data',
        'Hearth-Received-Before',
      ],
      maxAge: 7200,
    })
  }

  #identify(request: FastifyRequest, scope: AccessScope): void {
    const { headers } = request
    this.#options.gatekeeper.identify({ ...headerCredentials(headers), session: sessionOf(headers) }, scope)
  }

  #fail(error: unknown, reply: FastifyReply): FastifyReply {
    if (error instanceof AccessError) {
      if (error.status === 401) void reply.header('www-authenticate', 'Bearer')
      return reply.code(error.status).send({ error: error.message })
    }
    const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
    if (status < 500 && error instanceof Error) return reply.code(status).send({ error: error.message })
    this.#options.onError(error)
    return reply.code(500).send({ error: 'internal server error; see the server log' })
  }
}

function isApi(url: string): boolean {
  return /^\/api(?:\/|\?|$)/.test(url)
}

/** For requests that match no route: the URL is invalid or a parameter too long. */
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
    'URL and headers exceed 16 KB; use POST for long parameters',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request was not complete in time'],
}

/** Invalid bytes have no path, so the response has the format of the API. */
function refuseBytes({ code }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const [status, message] = BYTE_FAULTS[code ?? ''] ?? ['400 Bad Request', 'not an HTTP request']
  const body = JSON.stringify({ error: { code: 'request', message } })
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.end(`${head}\r\n\r\n${body}`)
}
