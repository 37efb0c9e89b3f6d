// The server on the main port: health, readiness, metrics, and what others add to it.
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
    // Up as long as it can answer at all; whether requests are taken is /readyz.
    app.get('/healthz', async () => ({ status: 'ok', version }))
    app.get('/readyz', async (_request, reply) => {
      const state = readiness()
      return reply.code(state.ready ? 200 : 503).send(state)
    })
    app.get('/metrics', async (request, reply) => {
      this.#identify(request, 'admin')
      return reply.type(metrics.registry.contentType).send(await metrics.text())
    })
    app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: 'nothing is here' }))
    app.setErrorHandler((error, _request, reply) => this.#fail(error, reply))
    this.#options.addRoutes?.(app)
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
