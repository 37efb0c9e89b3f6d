// Unary methods of the Connect protocol over HTTP/1.1. A request is a POST with one JSON or protobuf message. The
// response is one message, or an error that is always JSON. gRPC offers the same methods with the same messages.
import { GZIP } from '../api/v1/response/prepare-response.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import type { MissingData } from '../http/missing-data.ts'
import { showMissingData } from '../http/missing-data.ts'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../access/gatekeeper.ts'
import type { AccessScope } from '../access/tokens.ts'
import { decoded } from '../receive/http/content-encoding.ts'
import type { Refusal } from '../receive/refusal.ts'
import { undecodable, unsupported } from '../receive/refusal.ts'
import type { AdmitOptions } from './admit-request.ts'
import { admitRequest } from './admit-request.ts'
import type { MessageEncoding } from './message-bytes.ts'

const gzipAsync = promisify(gzip)

/** A smaller response fits in one packet, compressed or not. */
const GZIP_FROM = 1400

/** The name in the error's body and the HTTP status of each gRPC code. */
const CODES: readonly (readonly [name: string, http: number])[] = [
  ['unknown', 500],
  ['canceled', 499],
  ['unknown', 500],
  ['invalid_argument', 400],
  ['deadline_exceeded', 504],
  ['not_found', 404],
  ['already_exists', 409],
  ['permission_denied', 403],
  ['resource_exhausted', 429],
  ['failed_precondition', 400],
  ['aborted', 409],
  ['out_of_range', 400],
  ['unimplemented', 501],
  ['internal', 500],
  ['unavailable', 503],
  ['data_loss', 500],
  ['unauthenticated', 401],
]

export interface ConnectCall {
  readonly identity: Identity
  readonly client: string
  /** The request's message, decompressed and not decoded. */
  readonly body: Uint8Array
  readonly encoding: MessageEncoding
  /** Fires if the client disconnects before the response. */
  readonly signal: AbortSignal
  /** The client's timeout, if it sends one. */
  readonly timeoutMs: number | undefined
}

/** A method that gets and returns the bytes of messages. */
interface ConnectRoute {
  /** For example `/push.v1.PusherService/Push`. */
  readonly path: string
  readonly scope: AccessScope
  readonly handle: (call: ConnectCall) => Promise<Uint8Array>
}

/** Adds the route of a method. The instance must not read bodies, and its error handler must use `sendConnectError`. */
export function addConnectRoute(
  app: FastifyInstance,
  options: AdmitOptions & { readonly missingData?: MissingData | undefined },
  { path, scope, handle }: ConnectRoute,
): void {
  app.post(path, async (request, reply) => {
    const encoding = connectEncoding(request)
    const response = await admitRequest(options, request, scope, async (identity, readSent) => {
      if (encoding === undefined) throw unsupportedConnect(request)
      const { body: sent, contentEncoding } = await readSent()
      const body = await decoded(sent, contentEncoding, options.maxBody)
      const client = request.headers['user-agent'] ?? ''
      const timeoutMs = timeoutOf(request)
      const result = await handle({ identity, client, body, encoding, signal: disconnectSignal(reply), timeoutMs })
      showMissingData(reply, identity.tenant, options.missingData)
      return result
    })
    return sendResponse(request, reply, response, `application/${encoding}`)
  })
}

/** The protocol allows ten digits. Longer than a timer can run is the same as no timeout. */
function timeoutOf({ headers }: FastifyRequest): number | undefined {
  const text = String(headers['connect-timeout-ms'] ?? '')
  if (text === '') return undefined
  if (!/^\d{1,10}$/.test(text))
    throw undecodable(`Connect-Timeout-Ms '${text.slice(0, 40)}' is not a number of milliseconds`)
  return Math.min(Number(text), MAX_TIMEOUT)
}

/** The longest timer in Node: 24 days. */
const MAX_TIMEOUT = 2 ** 31 - 1

/** Ignores parameters such as `; charset=utf-8`. */
export function connectEncoding(request: FastifyRequest): MessageEncoding | undefined {
  const type = (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase()
  if (type === 'application/json') return 'json'
  return type === 'application/proto' || type === 'application/x-protobuf' ? 'proto' : undefined
}

export function unsupportedConnect({ headers }: FastifyRequest): Refusal {
  return unsupported(
    `unsupported Content-Type '${headers['content-type'] ?? ''}'; use application/json or application/proto`,
  )
}

export function sendConnectError(reply: FastifyReply, refusal: Refusal): FastifyReply {
  // The only case in which Connect does not use its own codes: the client uses another protocol.
  if (refusal.http === 415) void reply.header('accept-post', 'application/json, application/proto')
  const http = refusal.http === 415 ? 415 : (CODES[refusal.code]?.[1] ?? 500)
  return sendError(reply, http, refusal)
}

/** Sends the HTTP status of the refusal itself, for paths outside of Connect. */
export function sendError(reply: FastifyReply, http: number, refusal: Refusal): FastifyReply {
  const { code, message, retryAfterSeconds } = refusal
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(Math.ceil(retryAfterSeconds)))
  if (http === 401) void reply.header('www-authenticate', 'Bearer')
  return reply
    .code(http)
    .type('application/json')
    .send(JSON.stringify({ code: CODES[code]?.[0] ?? 'unknown', message }))
}

async function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  response: Uint8Array,
  type: string,
): Promise<FastifyReply> {
  void reply.type(type)
  const accepted = String(request.headers['accept-encoding'] ?? '')
  if (response.length < GZIP_FROM || !/\bgzip\b/.test(accepted)) return reply.send(bufferOf(response))
  void reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding')
  return reply.send(await gzipAsync(response, GZIP))
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
