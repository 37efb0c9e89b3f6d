// The routes of /api/v1: authentication, parameters, query slots, and the response with its tag.
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Credentials, Gatekeeper } from '../../access/gatekeeper.ts'
import { AccessError } from '../../access/gatekeeper.ts'
import type { SpanIds } from '../../broker/captures/capture-request.ts'
import type { BrokerControl } from '../../broker/control.ts'
import type { QueryContext } from '../../query/query-context.ts'
import { EventWatches } from './broker/event-watches.ts'
import type { Endpoint } from './endpoint.ts'
import { PREFIX, endpoints } from './endpoints.ts'
import type { QueryGate } from './limits/query-gate.ts'
import { apiDocument } from './openapi.ts'
import type { QueryText } from './request/read-request.ts'
import { checked, fromQuery } from './request/read-request.ts'
import type { RequestContext } from './request/request-context.ts'
import { isRelative, parseTime } from './request/times.ts'
import type { Horizons } from './request/horizons.ts'
import { RequestError, failureOf } from './response/failure.ts'
import { FileResponse, StreamedFile } from './response/file-response.ts'
import { sendFile, sendJson, sendStream } from './response/send-response.ts'
import { disconnectSignal } from '../../http/disconnect-signal.ts'
import type { StatusSource } from './status/status-source.ts'

export interface ApiV1Options {
  readonly queries: QueryContext
  readonly gatekeeper: Gatekeeper
  readonly gate: QueryGate
  readonly status: StatusSource
  /** Undefined if the Broker is switched off. */
  readonly control?: BrokerControl | undefined
  readonly onError: (error: unknown) => void
  /** Decides what data the requests of one screen see. Undefined if all data is visible at once. */
  readonly horizons?: Horizons | undefined
  /** Milliseconds since 1970; the system clock unless given. */
  readonly now?: () => number
}

const MAX_BODY_BYTES = 2 ** 20
/** Profiles rarely arrive this late. Responses about ranges that ended earlier may be cached for a while. */
const SETTLED_NANO = 3_600_000_000_000n
const SETTLED_SECONDS = 60
const NOT_CACHED = 'private, no-cache'

/** Adds the routes in a Fastify context of their own, with the error format of this API. */
export function addApiV1(app: FastifyInstance, options: ApiV1Options): void {
  const watches = new EventWatches()
  void app.register(
    async scope => {
      scope.setErrorHandler((error, _request, reply) => fail(options, error, reply))
      scope.setNotFoundHandler(async (request, reply) =>
        reply.code(404).send({ error: { code: 'not-found', message: `no such path: ${pathOf(request)}` } }),
      )
      const document = apiDocument()
      scope.get('/openapi.json', async (_request, reply) => reply.header('cache-control', 'max-age=300').send(document))
      for (const endpoint of endpoints) {
        scope.route({
          method: endpoint.method ?? ['GET', 'POST'],
          url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
          bodyLimit: endpoint.maxBodyBytes ?? MAX_BODY_BYTES,
          handler: async (request, reply) => respond(options, watches, endpoint, request, reply),
        })
      }
    },
    { prefix: PREFIX },
  )
}

async function respond(
  options: ApiV1Options,
  watches: EventWatches,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { gatekeeper, gate } = options
  const { tenant, token } = gatekeeper.identify(credentialsOf(request), endpoint.scope ?? 'read')
  const parameters = parametersOf(endpoint, request)
  const signal = disconnectSignal(reply)
  const context = contextOf(options, watches, request, { tenant, token, signal })
  const isQuery = endpoint.method === undefined
  const cache = isQuery ? cacheControl(parameters, context.now) : NOT_CACHED
  const run = async () => {
    const result = await endpoint.handle(context, await withHorizon(options, parameters, context.now))
    if (!(result instanceof StreamedFile)) return result
    // The store is read while the client reads, so the slot stays taken until the end.
    sendStream(request, reply, result, error => {
      // Earlier errors become the response, and are logged there.
      if (reply.raw.headersSent && !signal.aborted) logFault(options, error)
    })
    await finished(reply.raw).catch(() => {})
    return undefined
  }
  try {
    const result = await (isQuery && endpoint.skipsQueue !== true ? context.inQuerySlot(run) : run())
    if (result === undefined) return reply
    if (result instanceof Readable) {
      // Proxies must not buffer the lines.
      void reply.type('application/x-ndjson').header('cache-control', 'no-store').header('x-accel-buffering', 'no')
      return reply.send(result)
    }
    const onLength = (bytes: number): void => void reply.raw.once('close', gate.sending(tenant, bytes))
    if (result instanceof FileResponse) return sendFile(request, reply, result, { cache, onLength })
    if (endpoint.status !== undefined) void reply.code(endpoint.status)
    return await sendJson(request, reply, result as object, { hasColumns: endpoint.columns === true, cache, onLength })
  } catch (error) {
    if (!signal.aborted) throw error
    // The client has disconnected.
    reply.hijack()
    reply.raw.destroy()
    return reply
  }
}

/** Replaces `receivedBefore` by a time before which everything is visible, so that later requests with it see no more. */
async function withHorizon(
  { horizons }: ApiV1Options,
  parameters: Readonly<Record<string, unknown>>,
  now: bigint,
): Promise<Readonly<Record<string, unknown>>> {
  const { receivedBefore } = parameters
  if (horizons === undefined || typeof receivedBefore !== 'string') return parameters
  return { ...parameters, receivedBefore: String(await horizons.of(parseTime(receivedBefore, now))) }
}

function parametersOf(
  { method, request: schema }: Endpoint,
  request: FastifyRequest,
): Readonly<Record<string, unknown>> {
  const hasBody = (method ?? request.method) === 'POST' || method === 'PUT'
  return hasBody ? checked(schema, request.body) : fromQuery(schema, request.query as QueryText)
}

interface Caller {
  readonly tenant: string
  readonly token: string
  readonly signal: AbortSignal
}

function contextOf(
  { queries, gate, gatekeeper, status, control, now = Date.now }: ApiV1Options,
  watches: EventWatches,
  request: FastifyRequest,
  { tenant, token, signal }: Caller,
): RequestContext {
  const [pathParameter = ''] = Object.values(request.params as Readonly<Record<string, string>>)
  return {
    queries,
    status,
    get broker() {
      if (control !== undefined) return control
      throw new RequestError(404, 'no-broker', 'the Broker is switched off; the setting `broker` switches it on')
    },
    watches,
    tenant,
    caller: token === '' ? 'anyone' : token,
    get isAdmin() {
      return isAdmin(gatekeeper, credentialsOf(request))
    },
    signal,
    limits: gate.queryLimits(tenant),
    tenantLimits: gate.limitsOf(tenant),
    now: BigInt(now()) * 1_000_000n,
    pathParameter,
    parentSpan: spanOf(request.headers['traceparent']),
    inQuerySlot: task => gate.run(tenant, signal, task),
  }
}

function isAdmin(gatekeeper: Gatekeeper, credentials: Credentials): boolean {
  try {
    gatekeeper.identify(credentials, 'admin')
    return true
  } catch (error) {
    if (error instanceof AccessError) return false
    throw error
  }
}

function credentialsOf({ headers }: FastifyRequest): Credentials {
  const scopeOrgId = headers['x-scope-orgid']
  return {
    authorization: headers.authorization,
    scopeOrgId: Array.isArray(scopeOrgId) ? scopeOrgId[0] : scopeOrgId,
  }
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/

/** The span in a W3C traceparent header; undefined if the header is missing or invalid. */
function spanOf(header: string | readonly string[] | undefined): SpanIds | undefined {
  const match = TRACEPARENT.exec(typeof header === 'string' ? header : '')
  if (match === null || /^0+$/.test(match[1]) || /^0+$/.test(match[2])) return undefined
  return { traceId: match[1], spanId: match[2] }
}

/** Responses about a range that ended a while ago may be cached; others must be revalidated. */
function cacheControl(parameters: Readonly<Record<string, unknown>>, now: bigint): string {
  const { from, to } = parameters
  const closed = typeof from === 'string' && typeof to === 'string' && !isRelative(from) && !isRelative(to)
  const relative = Object.entries(parameters).some(
    ([key, value]) => key.startsWith('before') && typeof value === 'string' && isRelative(value),
  )
  const settled = closed && !relative && parseTime(to, now) + SETTLED_NANO < now
  return settled ? `private, max-age=${SETTLED_SECONDS}` : NOT_CACHED
}

function logFault({ onError }: ApiV1Options, error: unknown): void {
  if (failureOf(error).logged) onError(error)
}

function fail(options: ApiV1Options, error: unknown, reply: FastifyReply): FastifyReply {
  const { status, code, message, position, retryAfterSeconds } = failureOf(error)
  logFault(options, error)
  if (status === 401) void reply.header('www-authenticate', 'Bearer')
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds))
  const place = position === undefined ? {} : { position }
  // These headers describe the response that failed.
  for (const header of ['content-encoding', 'content-disposition', 'etag']) void reply.removeHeader(header)
  return reply
    .type('application/json; charset=utf-8')
    .code(status)
    .header('cache-control', 'no-store')
    .send({ error: { code, message, ...place } })
}

function pathOf(request: FastifyRequest): string {
  const path = request.url.split('?')[0].slice(0, 200)
  return request.method === 'GET' ? path : `${request.method} ${path}`
}
