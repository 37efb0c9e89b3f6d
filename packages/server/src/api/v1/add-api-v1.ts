// Routes of /api/v1: who asks, what for, within which limits, and the answer with its tag.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Gatekeeper } from '../../access/gatekeeper.ts'
import type { QueryEngine } from '../../query/query-engine.ts'
import type { QueryLimits } from '../../query/question.ts'
import type { Answer, Asker } from './ask.ts'
import { ask } from './ask.ts'
import type { Endpoint, EndpointName } from './endpoints.ts'
import { PREFIX, endpoints } from './endpoints.ts'
import { failureOf } from './failure.ts'
import { apiDocument } from './openapi.ts'
import { QuerySlots } from './query-slots.ts'
import type { QueryText } from './read-request.ts'
import { checked, fromQuery } from './read-request.ts'
import { isRelative, parseTime } from './times.ts'

export interface ApiV1Options {
  readonly query: QueryEngine
  readonly gatekeeper: Gatekeeper
  /** Of each question. */
  readonly limits?: QueryLimits
  /** How many questions of a tenant are answered at the same time, and how many more may wait. */
  readonly slots?: { readonly running: number; readonly waiting: number }
  /** The most samples that are exported at once. */
  readonly maxExportSamples?: number
  readonly onError: (error: unknown) => void
  /** Milliseconds since 1970; the clock's unless given. */
  readonly now?: () => number
}

/** Half a minute is longer than anyone looks at a spinner; the engine has 4 GiB at the most for everything. */
const LIMITS: QueryLimits = { maxSeconds: 30, maxMemoryBytes: 2 ** 30, maxRows: 2_000_000 }
const SLOTS = { running: 8, waiting: 64 }
/** Some 300 MB of columns. */
const MAX_EXPORT_SAMPLES = 5_000_000
/** A selector in a URL is limited by its length; in a body it may be longer, but not by much. */
const MAX_BODY = 2 ** 20
/** Profiles that come late are rare after this long, so what ends before may be kept a while. */
const SETTLED_NANO = 3_600_000_000_000n
const SETTLED_SECONDS = 60

/** What a file could not carry, as JSON in a URI's encoding: headers hold ASCII only. */
export const NOTES_HEADER = 'hearth-notes'

/** Adds the routes in a context of their own, with errors as this API has them. */
export function addApiV1(app: FastifyInstance, options: ApiV1Options): void {
  const slots = new QuerySlots((options.slots ?? SLOTS).running, (options.slots ?? SLOTS).waiting)
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
          handler: async (request, reply) => answer(options, slots, name, request, reply),
        })
      }
    },
    { prefix: PREFIX },
  )
}

async function answer(
  options: ApiV1Options,
  slots: QuerySlots,
  name: EndpointName,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const scopeOrgId = request.headers['x-scope-orgid']
  const credentials = {
    authorization: request.headers.authorization,
    scopeOrgId: Array.isArray(scopeOrgId) ? scopeOrgId[0] : scopeOrgId,
  }
  const { tenant } = options.gatekeeper.identify(credentials, 'read')
  const { request: schema }: Endpoint = endpoints[name]
  const asked =
    request.method === 'POST' ? checked(schema, request.body) : fromQuery(schema, request.query as QueryText)
  const gone = new AbortController()
  const leave = (): void => {
    if (!reply.raw.writableFinished) gone.abort()
  }
  reply.raw.once('close', leave)
  const asker: Asker = {
    query: options.query,
    tenant,
    signal: gone.signal,
    limits: { ...LIMITS, ...options.limits },
    maxExportSamples: options.maxExportSamples ?? MAX_EXPORT_SAMPLES,
    now: BigInt((options.now ?? Date.now)()) * 1_000_000n,
  }
  const [inPath = ''] = Object.values(request.params as Readonly<Record<string, string>>)
  try {
    const found = await slots.run(tenant, gone.signal, () => ask(name, asker, asked as never, inPath))
    return send(request, reply, found, cacheControl(asked, asker.now))
  } catch (error) {
    if (!gone.signal.aborted) throw error
    // Nobody is there to be answered.
    reply.hijack()
    reply.raw.destroy()
    return reply
  }
}

function send(request: FastifyRequest, reply: FastifyReply, found: Answer, cache: string): FastifyReply {
  const body = 'file' in found ? Buffer.from(found.file.bytes) : Buffer.from(JSON.stringify(found.json))
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  void reply.headers({ etag: tag, 'cache-control': cache, vary: 'authorization, x-scope-orgid' })
  const known = (request.headers['if-none-match'] ?? '').split(',').map(text => text.trim().replace(/^W\//, ''))
  if (request.method === 'GET' && (known.includes(tag) || known.includes('*'))) return reply.code(304).send()
  if (!('file' in found)) return reply.type('application/json; charset=utf-8').send(body)
  const name = found.file.name.replaceAll(/[^\w.-]/g, '_')
  return reply
    .type('application/octet-stream')
    .header(NOTES_HEADER, encodeURIComponent(JSON.stringify(found.file.notes)))
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(body)
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

function fail({ onError }: ApiV1Options, error: unknown, reply: FastifyReply): FastifyReply {
  const { status, code, message, position, retryAfterSeconds, logged } = failureOf(error)
  if (logged) onError(error)
  if (status === 401) void reply.header('www-authenticate', 'Bearer')
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds))
  const place = position === undefined ? {} : { position }
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .send({ error: { code, message, ...place } })
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0].slice(0, 200)
}
