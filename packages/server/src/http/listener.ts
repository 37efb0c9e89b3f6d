// The common part of every HTTP port: opens it with or without certificates, rejects requests of other sites, and closes it
// without aborting responses.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { fastify } from 'fastify'
import type { SiteRules } from '../access/site-rules.ts'
import { checkSite } from '../access/site-rules.ts'
import { limitPipelines } from './pipeline-limit.ts'
import { limitStalls } from './stall-limit.ts'

export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

export interface ListenerOptions extends Pick<
  FastifyServerOptions,
  'exposeHeadRoutes' | 'routerOptions' | 'frameworkErrors' | 'clientErrorHandler'
> {
  /**
   * A client is disconnected if its request is not complete after this time, or if it reads nothing of its responses for this
   * long. Default: a minute.
   */
  readonly clientTimeoutMs?: number
}

const CLIENT_TIMEOUT_MS = 60_000
const IDLE_CHECK_MS = 50
/** The precision of the time limits of clients. */
const TIMEOUT_CHECK_MS = 1000

function noSchemas(): never {
  throw new Error('the route has a JSON schema; check its requests with zod')
}

/** Fastify loads compilers for JSON schemas unless it is given others. No route has one, and loading takes a tenth of a start. */
export const schemaController = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } } as const

/** An application without routes. */
export function newListener(
  tls: Certificate | undefined,
  site: SiteRules,
  { clientTimeoutMs = CLIENT_TIMEOUT_MS, ...options }: ListenerOptions = {},
): FastifyInstance {
  const common = {
    ...options,
    requestTimeout: clientTimeoutMs,
    logger: false,
    forceCloseConnections: 'idle',
    schemaController,
  } as const
  const stepMs = Math.min(TIMEOUT_CHECK_MS, clientTimeoutMs / 4)
  // Node checks time limits of requests every 30 s unless this is given, so that they took up to 30 s longer.
  const http = { connectionsCheckingInterval: stepMs, headersTimeout: clientTimeoutMs, requestTimeout: clientTimeoutMs }
  const app = (
    tls === undefined ? fastify({ ...common, http }) : fastify({ ...common, https: { ...tls, ...http } })
  ) as FastifyInstance
  limitPipelines(app)
  limitStalls(app.server, { stallMs: clientTimeoutMs, stepMs })
  app.addHook('onRequest', async request => checkSite(request.headers, site, request.method))
  return app
}

/** Returns the port, which differs from the setting if that is 0. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  await app.listen({ host, port })
  return (app.server.address() as AddressInfo).port
}

/** Completes requests in progress. Aborts those that have not ended after `timeoutMs`. */
export async function closeListener(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const { server } = app
  // Close idle connections repeatedly: a connection that had a request at the start would be kept alive after its response.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const last = setTimeout(() => server.closeAllConnections(), timeoutMs)
  await app.close().finally(() => {
    clearInterval(idle)
    clearTimeout(last)
  })
}
