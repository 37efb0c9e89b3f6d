// Routes of /api/v1: who asks, what for, within which limits, and the answer with its tag.
import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Credentials, Gatekeeper } from '../../access/gatekeeper.ts'
import type { BrokerControl } from '../../broker/control.ts'
import type { QueryEngine } from '../../query/query-engine.ts'
import { addBrokerApi } from './add-broker-api.ts'
import type { Asker } from './request/request-context.ts'
import { ask } from './ask.ts'
import type { Endpoint, EndpointName, QuestionName } from './endpoints.ts'
import { PREFIX, endpoints } from './endpoints.ts'
import { failureOf } from './response/failure.ts'
import { apiDocument } from './openapi.ts'
import type { QueryGate } from './limits/query-gate.ts'
import type { QueryText } from './request/read-request.ts'
import { checked, fromQuery } from './request/read-request.ts'
import { sendAnswer, sendFile, sendStream } from './response/send-response.ts'
import type { StatusSource } from './status.ts'
import { statusFor } from './status.ts'
import { isRelative, parseTime } from './request/times.ts'

export interface ApiV1Options {
  readonly query: QueryEngine
  readonly gatekeeper: Gatekeeper
  readonly gate: QueryGate
  readonly status: StatusSource
  /** Undefined where the server is no Broker. */
  readonly control?: BrokerControl | undefined
  readonly onError: (error: unknown) => void
  /** Milliseconds since 1970; the clock's unless given. */
  readonly now?: () => number
}

/** A selector in a URL is limited by its length; in a body it may be longer, but not by much. */
const MAX_BODY = 2 ** 20
/** Profiles that come late are rare after this long, so what ends before may be kept a while. */
const SETTLED_NANO = 3_600_000_000_000n
const SETTLED_SECONDS = 60

/** Adds the routes in a context of their own, with errors as this API has them. */
export function addApiV1(app: FastifyInstance, options: ApiV1Options): void {
  void app.register(
    async scope => {
      scope.setErrorHandler((error, _request, reply) => fail(options, error, reply))
      scope.setNotFoundHandler(async (request, reply) =>
        reply.code(404).send({ error: { code: 'not-found', message: `nothing is at ${pathOf(request)}` } }),
      )
      const document = apiDocument()
      scope.get('/openapi.json', async (_request, reply) => reply.header('cache-control', 'max-age=300').send(document))
      for (const name of Object.keys(endpoints) as EndpointName[]) {
        const { path }: Endpoint = endpoints[name]
        scope.route({
          method: ['GET', 'POST'],
          url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
          bodyLimit: MAX_BODY,
          handler: async (request, reply) =>
            name === 'status' ? status(options, request, reply) : answer(options, name, request, reply),
        })
      }
      addBrokerApi(scope, options)
    },
    { prefix: PREFIX },
  )
}

/** Without waiting for a turn: where there are none left, this is what people look at. */
async function status(options: ApiV1Options, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  askedOf('status', request)
  const sent = await statusFor(options.status, options.gatekeeper, credentialsOf(request))
  return sendAnswer(request, reply, sent, { hasColumns: false, cache: 'private, no-cache', onLength: () => {} })
}

async function answer(
  options: ApiV1Options,
  name: QuestionName,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { gatekeeper, gate } = options
  const { tenant } = gatekeeper.identify(credentialsOf(request), 'read')
  const asked = askedOf(name, request)
  const signal = leaving(reply)
  const asker = askerOf(options, tenant, signal)
  const [inPath = ''] = Object.values(request.params as Readonly<Record<string, string>>)
  const cache = cacheControl(asked, asker.now)
  const { columns = false }: Endpoint = endpoints[name]
  try {
    const found = await gate.run(tenant, signal, async () => {
      const made = await ask(name, asker, asked as never, inPath)
      if (!('stream' in made)) return made
      // The engine is asked as the client reads, so the turn lasts as long.
      sendStream(request, reply, made.stream, error => {
        // Before that it is told and logged like any other.
        if (reply.raw.headersSent && !signal.aborted) logFault(options, error)
      })
      await finished(reply.raw).catch(() => {})
      return undefined
    })
    if (found === undefined) return reply
    const onLength = (bytes: number): void => void reply.raw.once('close', gate.sending(tenant, bytes))
    if ('file' in found) return sendFile(request, reply, found.file, { cache, onLength })
    return sendAnswer(request, reply, found.sent, { hasColumns: columns, cache, onLength })
  } catch (error) {
    if (!signal.aborted) throw error
    // Nobody is there to be answered.
    reply.hijack()
    reply.raw.destroy()
    return reply
  }
}

/** Aborts when the client goes away before it has the answer. */
export function leaving(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}

/** Who asks, with the limits that hold for them. */
export function askerOf({ query, gate, now = Date.now }: ApiV1Options, tenant: string, signal: AbortSignal): Asker {
  return {
    query,
    tenant,
    signal,
    limits: gate.queryLimits(tenant),
    tenantLimits: gate.limitsOf(tenant),
    now: BigInt(now()) * 1_000_000n,
  }
}

export function credentialsOf({ headers }: FastifyRequest): Credentials {
  const scopeOrgId = headers['x-scope-orgid']
  return {
    authorization: headers.authorization,
    scopeOrgId: Array.isArray(scopeOrgId) ? scopeOrgId[0] : scopeOrgId,
  }
}

function askedOf(name: EndpointName, request: FastifyRequest): Readonly<Record<string, unknown>> {
  const { request: schema }: Endpoint = endpoints[name]
  return request.method === 'POST' ? checked(schema, request.body) : fromQuery(schema, request.query as QueryText)
}

/** An answer about a range that ended a while ago may be kept; others have to be asked for again. */
function cacheControl(asked: Readonly<Record<string, unknown>>, now: bigint): string {
  const { from, to } = asked
  const closed = typeof from === 'string' && typeof to === 'string' && !isRelative(from) && !isRelative(to)
  const relative = Object.entries(asked).some(
    ([key, value]) => key.startsWith('before') && typeof value === 'string' && isRelative(value),
  )
  const settled = closed && !relative && parseTime(to, now) + SETTLED_NANO < now
  return settled ? `private, max-age=${SETTLED_SECONDS}` : 'private, no-cache'
}

function logFault({ onError }: ApiV1Options, error: unknown): void {
  if (failureOf(error).logged) onError(error)
}

function fail(options: ApiV1Options, error: unknown, reply: FastifyReply): FastifyReply {
  const { status: number, code, message, position, retryAfterSeconds } = failureOf(error)
  logFault(options, error)
  if (number === 401) void reply.header('www-authenticate', 'Bearer')
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds))
  const place = position === undefined ? {} : { position }
  // Of an answer that was to be sent.
  for (const header of ['content-encoding', 'content-disposition', 'etag']) void reply.removeHeader(header)
  return reply
    .type('application/json; charset=utf-8')
    .code(number)
    .header('cache-control', 'no-store')
    .send({ error: { code, message, ...place } })
}

function pathOf(request: FastifyRequest): string {
  const path = request.url.split('?')[0].slice(0, 200)
  return request.method === 'GET' ? path : `${request.method} ${path}`
}
