// The routes on the main port by which Pyroscope's clients send profiles: /ingest, Push, and OTLP at Pyroscope's paths.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { responseBody, statusBody } from '../../receive/otlp-responses.ts'
import type { ReceiveEvents, Receiver } from '../../receive/receiver.ts'
import { unsupported } from '../../receive/refusal.ts'
import type { AdmitOptions } from '../admit-request.ts'
import { admitRequest, refusalFor } from '../admit-request.ts'
import { connectEncoding, sendConnectError, sendError, unsupportedConnect } from '../connect.ts'
import { pyroscopeIngest } from './ingest.ts'
import type { QueryValues } from './ingest-query.ts'
import { pyroscopePush } from './push.ts'
import { PUSHER_SERVICE } from '../messages/push-messages.ts'

export interface PyroscopeIngestOptions extends AdmitOptions {
  readonly receiver: Receiver
  readonly events: ReceiveEvents
  readonly onError: (error: unknown) => void
  /** Milliseconds since 1970; the system clock unless given. */
  readonly now?: () => number
}

const INGEST_PATHS = ['/ingest', '/pyroscope/ingest']
const OTLP_PATHS = [
  '/v1development/profiles',
  '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export',
]

/** Adds the routes in a context of their own, in which bodies stay unread until the sender is identified. */
export function addPyroscopeIngest(app: FastifyInstance, options: PyroscopeIngestOptions): void {
  void app.register(async scope => {
    leaveBodies(scope)
    scope.setErrorHandler((error, request, reply) => fail(options, error, request, reply))
    for (const path of INGEST_PATHS)
      scope.post(path, async (request, reply) => {
        await ingestRequest(options, request)
        return reply.code(200).send()
      })
    for (const path of OTLP_PATHS) scope.post(path, async (request, reply) => exportRequest(options, request, reply))
    scope.post(`/${PUSHER_SERVICE}/Push`, async (request, reply) => pushRequest(options, request, reply))
  })
}

/** Makes the instance leave all bodies unread, whatever their type. */
export function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
}

/** A method of the Connect protocol whose request stays encoded, and whose response is empty. */
async function pushRequest(
  options: PyroscopeIngestOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = connectEncoding(request)
  const client = request.headers['user-agent'] ?? ''
  await admitRequest(options, request, 'write', async (identity, readSent) => {
    if (encoding === undefined) throw unsupportedConnect(request)
    const content = pyroscopePush({ encoding, nowMs: nowOf(options) })
    await options.receiver.receive({ content, transport: 'http', identity, client, ...(await readSent()) })
  })
  return reply.type(`application/${encoding}`).send(Buffer.from(encoding === 'json' ? '{}' : ''))
}

async function ingestRequest(options: PyroscopeIngestOptions, request: FastifyRequest): Promise<void> {
  const { 'content-type': contentType = '', 'user-agent': client = '' } = request.headers
  const query = request.query as QueryValues
  await admitRequest(options, request, 'write', async (identity, readSent) => {
    const content = pyroscopeIngest({ query, contentType, nowMs: nowOf(options) })
    await options.receiver.receive({ content, transport: 'http', identity, client, ...(await readSent()) })
  })
}

async function exportRequest(
  options: PyroscopeIngestOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = otlpEncoding(request)
  const client = request.headers['user-agent'] ?? ''
  const response = await admitRequest(options, request, 'write', async (identity, readSent) => {
    if (encoding === undefined)
      throw unsupported(
        `unsupported Content-Type '${request.headers['content-type'] ?? ''}'; use application/x-protobuf or application/json`,
      )
    const sent = await readSent()
    const incoming = { signal: 'profiles', encoding, transport: 'http', ...sent, identity, client } as const
    return responseBody(await options.receiver.receive(incoming), encoding)
  })
  return reply.type(request.headers['content-type'] ?? '').send(response)
}

function otlpEncoding(request: FastifyRequest): 'protobuf' | 'json' | undefined {
  const type = (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase()
  if (type === 'application/protobuf') return 'protobuf'
  const encoding = connectEncoding(request)
  return encoding === 'proto' ? 'protobuf' : encoding
}

function fail(
  { events, onError }: PyroscopeIngestOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = refusalFor(error, onError)
  events.refused('profiles', refusal)
  const path = request.routeOptions.url ?? ''
  if (INGEST_PATHS.includes(path)) return sendError(reply, refusal.http, refusal)
  if (!OTLP_PATHS.includes(path)) return sendConnectError(reply, refusal)
  const encoding = otlpEncoding(request) ?? 'json'
  if (refusal.retryAfterSeconds !== undefined)
    void reply.header('retry-after', String(Math.ceil(refusal.retryAfterSeconds)))
  if (refusal.http === 401) void reply.header('www-authenticate', 'Bearer')
  const type = encoding === 'json' ? 'application/json' : 'application/x-protobuf'
  return reply.code(refusal.http).type(type).send(statusBody(refusal, encoding))
}

function nowOf({ now = Date.now }: PyroscopeIngestOptions): number {
  return now()
}
