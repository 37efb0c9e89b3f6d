// The routes of /api/v1: authentication, parameters, query slots, and the response with its tag.
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditLog } from '../../access/audit-log.ts'
import type { Credentials, Gatekeeper } from '../../access/gatekeeper.ts'
import { headerCredentials } from '../../access/gatekeeper.ts'
import { sessionOf } from '../../access/session-cookie.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { SpanIds } from '../../broker/captures/capture-request.ts'
import type { BrokerControl } from '../../broker/control.ts'
import type { Demo } from '../../demo/demo.ts'
import type { Deletions } from '../../query/deletion/deletions.ts'
import type { Monitor } from '../../monitor/monitor.ts'
import type { TaskRunner } from '../../query/threads/query-task.ts'
import { EventWatches } from './broker/event-watches.ts'
import type { Endpoint, MainEndpoint, QueryEndpoint } from './endpoint.ts'
import { PREFIX, mainEndpoints } from './endpoints.ts'
import type { QueryGate } from './limits/query-gate.ts'
import type { ApiDocument } from './openapi.ts'
import { apiDocument } from './openapi.ts'
import { queryEndpoints } from './query-endpoints.ts'
import type { ApiResponsePart, ApiTasks } from './query-tasks.ts'
import type { QueryText } from './request/read-request.ts'
import { checked, fromQuery } from './request/read-request.ts'
import type { CallerContext, RequestContext, SourceSettings } from './request/request-context.ts'
import { isRelative, parseTime } from './request/times.ts'
import type { Horizons } from './request/horizons.ts'
import { failureOf } from './response/failure.ts'
import { RequestError } from './response/request-error.ts'
import { StreamedFile } from './response/file-response.ts'
import { acceptsColumns, encodingFor } from './response/negotiate.ts'
import type { Accepted, PreparedResponse } from './response/prepare-response.ts'
import { prepareJson } from './response/prepare-response.ts'
import { sendPrepared, sendStream } from './response/send-response.ts'
import type { Saved } from '../../saved/saved.ts'
import { disconnectSignal } from '../../http/disconnect-signal.ts'
import type { MissingData } from '../../http/missing-data.ts'
import { completeAsShown, showMissingData } from '../../http/missing-data.ts'
import type { JobState } from '../../scrape/scraper.ts'
import type { SymbolStore } from '../../symbols/symbol-store.ts'
import type { StatusSource } from './status/status-source.ts'

export interface ApiV1Options {
  /** The threads that run queries. */
  readonly threads: TaskRunner<ApiTasks>
  readonly gatekeeper: Gatekeeper
  readonly gate: QueryGate
  readonly status: StatusSource
  /** Undefined if the server keeps no debug files. */
  readonly symbols?: SymbolStore | undefined
  /** Undefined if the Broker is switched off. */
  readonly control?: BrokerControl | undefined
  /** Undefined if the server watches nothing. */
  readonly monitor?: Monitor | undefined
  readonly onError: (error: unknown) => void
  readonly audit?: AuditLog | undefined
  /** Undefined in tests that delete nothing. */
  readonly deletions?: Deletions | undefined
  /** Undefined in tests without demo data. */
  readonly demo?: Demo | undefined
  /** Sessions of people, if they sign in at an identity provider. */
  readonly sessions?: Sessions | undefined
  /** Decides what data the requests of one screen see. Undefined if all data is visible at once. */
  readonly horizons?: Horizons | undefined
  readonly missingData?: MissingData | undefined
  /** The jobs that fetch profiles; none unless given. */
  readonly scrapedJobs?: () => readonly JobState[]
  /** Undefined in tests that save nothing. */
  readonly saved?: Saved | undefined
  /** No source code unless given. */
  readonly source?: SourceSettings | undefined
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
      // Uploads stay unread until their handler reads them.
      scope.addContentTypeParser('application/octet-stream', async (_request: FastifyRequest, body: unknown) => body)
      // Made on the first request: it takes a twentieth of a start.
      let document: ApiDocument | undefined
      scope.get('/openapi.json', async (_request, reply) =>
        reply.header('cache-control', 'max-age=300').send((document ??= apiDocument())),
      )
      const route = (endpoint: Endpoint, respond: (call: Call) => Promise<FastifyReply>): void =>
        void scope.route({
          method: endpoint.method ?? ['GET', 'POST'],
          url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
          bodyLimit: endpoint.upload === true ? Number.MAX_SAFE_INTEGER : (endpoint.maxBodyBytes ?? MAX_BODY_BYTES),
          handler: async (request, reply) => respondOrLeave(respond, callOf(options, endpoint, request, reply)),
        })
      for (const endpoint of queryEndpoints) route(endpoint, call => respondToQuery(endpoint, call))
      for (const endpoint of mainEndpoints) route(endpoint, call => respond(endpoint, call, watches))
    },
    { prefix: PREFIX },
  )
}

/** A request with its caller. */
interface Call {
  readonly options: ApiV1Options
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: CallerContext
  /** The name of the token; empty without one. */
  readonly token: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly accepted: Accepted
}

/** The caller of an endpoint that needs no token. */
const NOBODY = { tenant: '', token: '' }

/** Throws AccessError and RequestError. */
function callOf(options: ApiV1Options, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Call {
  const { gatekeeper, gate, now = Date.now } = options
  const { scope = 'read' } = endpoint
  const { tenant, token } = scope === 'none' ? NOBODY : gatekeeper.identify(credentialsOf(request), scope)
  const parameters = parametersOf(endpoint, request)
  const [pathParameter = ''] = Object.values(request.params as Readonly<Record<string, string>>)
  const caller = {
    tenant,
    signal: disconnectSignal(reply),
    limits: gate.queryLimits(tenant),
    tenantLimits: gate.limitsOf(tenant),
    now: BigInt(now()) * 1_000_000n,
    pathParameter,
  }
  const { accept, 'accept-encoding': acceptEncoding } = request.headers
  const columns = endpoint.columns === true && acceptsColumns(accept)
  return {
    options,
    request,
    reply,
    caller,
    token,
    parameters,
    accepted: { columns, encoding: encodingFor(acceptEncoding) },
  }
}

async function respondOrLeave(respond: (call: Call) => Promise<FastifyReply>, call: Call): Promise<FastifyReply> {
  const { options, reply, caller } = call
  try {
    return await respond(call)
  } catch (error) {
    // The data that was not found may be in a damaged part.
    showMissingData(reply, caller.tenant, options.missingData)
    if (!caller.signal.aborted) throw error
    // The client has disconnected.
    reply.hijack()
    reply.raw.destroy()
    return reply
  }
}

/** Runs the query in a thread, in a slot of its tenant. */
async function respondToQuery(endpoint: QueryEndpoint, call: Call): Promise<FastifyReply> {
  const { options, request, reply, caller, parameters, accepted } = call
  const { signal, ...plain } = caller
  const { tenant, now } = caller
  const response = await options.gate.run(tenant, signal, async () => {
    const visible = await withHorizon(options, parameters, now)
    showHorizon(reply, visible)
    const query = { endpoint: endpoint.name, caller: plain, parameters: visible, accepted }
    const parts = options.threads.stream('apiQuery', query, { tenant, signal })
    const { value: head } = await parts.next()
    if (head === undefined || head instanceof Uint8Array) throw new Error(`${endpoint.name} has no response`)
    if (head.kind === 'prepared') {
      // Ends the call.
      await parts.next()
      return head
    }
    const shown = showMissingData(reply, tenant, options.missingData)
    const pieces = completeAsShown(piecesIn(parts), shown, () => options.missingData?.(tenant))
    // The store is read while the client reads, so the slot stays taken until the end.
    sendStream(request, reply, new StreamedFile(pieces, head.name, head.notes), error => {
      // Earlier errors become the response, and are logged there.
      if (reply.raw.headersSent && !signal.aborted) logFault(options, error)
    })
    await finished(reply.raw).catch(() => {})
    return undefined
  })
  return response === undefined ? reply : send(call, response, cacheControl(parameters, now))
}

async function* piecesIn(parts: AsyncGenerator<ApiResponsePart>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) if (part instanceof Uint8Array) yield part
}

async function respond(endpoint: MainEndpoint, call: Call, watches: EventWatches): Promise<FastifyReply> {
  const { reply, parameters, accepted } = call
  const result = await endpoint.handle(contextOf(call, watches), parameters)
  if (result instanceof Readable) {
    // Proxies must not buffer the lines.
    void reply.type('application/x-ndjson').header('cache-control', 'no-store').header('x-accel-buffering', 'no')
    return reply.send(result)
  }
  if (endpoint.status !== undefined) void reply.code(endpoint.status)
  return send(call, isPrepared(result) ? result : await prepareJson(result as object, accepted), NOT_CACHED)
}

function isPrepared(result: unknown): result is PreparedResponse {
  return (result as Partial<PreparedResponse>).kind === 'prepared'
}

function send({ options, request, reply, caller }: Call, response: PreparedResponse, cache: string): FastifyReply {
  // Late, because the query itself may have met damaged data.
  showMissingData(reply, caller.tenant, options.missingData)
  const onLength = (bytes: number): void => void reply.raw.once('close', options.gate.sending(caller.tenant, bytes))
  return sendPrepared(request, reply, response, { cache, onLength })
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

/** The time before which the data of the response was received, in nanoseconds. It is earlier than requested if the store is behind. */
function showHorizon(reply: FastifyReply, { receivedBefore }: Readonly<Record<string, unknown>>): void {
  if (typeof receivedBefore === 'string') void reply.header('hearth-received-before', receivedBefore)
}

function parametersOf(
  { method, request: schema, upload = false }: Endpoint,
  request: FastifyRequest,
): Readonly<Record<string, unknown>> {
  const hasBody = !upload && ((method ?? request.method) === 'POST' || method === 'PUT')
  return hasBody ? checked(schema, request.body) : fromQuery(schema, request.query as QueryText)
}

function contextOf({ options, request, caller, token, accepted }: Call, watches: EventWatches): RequestContext {
  const { threads, gate, gatekeeper, status, control, audit, sessions, deletions, symbols, monitor, saved, demo } =
    options
  const { source = {}, scrapedJobs = () => [] } = options
  const { tenant, signal } = caller
  const credentials = credentialsOf(request)
  const address = request.ip
  const actor = token === '' ? 'anyone' : token
  return {
    ...caller,
    status,
    source,
    scrapedJobs,
    get saved() {
      if (saved !== undefined) return saved
      throw new RequestError(404, 'not-found', 'this server saves no views')
    },
    uploadedSources: symbols,
    get symbols() {
      if (symbols !== undefined) return symbols
      throw new RequestError(404, 'no-symbols', 'this server keeps no debug files')
    },
    content: request.raw,
    get broker() {
      if (control !== undefined) return control
      throw new RequestError(404, 'no-broker', 'the Broker is switched off; the setting `broker` switches it on')
    },
    watches,
    get monitor() {
      if (monitor !== undefined) return monitor
      throw new RequestError(404, 'no-monitor', 'the monitor is switched off; the setting `monitor` switches it on')
    },
    get deletions() {
      if (deletions !== undefined) return deletions
      throw new RequestError(404, 'not-found', 'this server cannot delete')
    },
    get demo() {
      if (demo !== undefined) return demo
      throw new RequestError(404, 'not-found', 'this server has no demo data')
    },
    caller: actor,
    audit: (action, details) => audit?.add({ action, actor, tenant, address, details }),
    auditAs: (name, action, details) => audit?.add({ action, actor: name, address, details }),
    readAudit: async query => (await audit?.read(query)) ?? [],
    signIn: {
      get isOpen() {
        return gatekeeper.isOpen
      },
      methods: sessions === undefined ? ['token'] : ['token', 'oidc'],
      hasCredentials: credentials.authorization !== undefined || credentials.session !== undefined,
      grant: () => gatekeeper.grantOf(credentials),
      end: () => credentials.session !== undefined && sessions?.end(credentials.session),
    },
    get isAdmin() {
      return gatekeeper.allows(credentials, 'admin')
    },
    addToken: row => gatekeeper.addToken(row),
    parentSpan: spanOf(request.headers['traceparent']),
    inQuerySlot: task => gate.run(tenant, signal, task),
    captureFile: file => threads.call('captureFile', { ...file, encoding: accepted.encoding }, { tenant, signal }),
  }
}

function credentialsOf({ headers }: FastifyRequest): Credentials {
  return { ...headerCredentials(headers), session: sessionOf(headers) }
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
