// OTLP over HTTP: protobuf and JSON for the four signals, and pushes of profiles in other formats. Access and memory are
// checked before the body is read.
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Gatekeeper, Identity } from '../../access/gatekeeper.ts'
import { AccessError, headerCredentials } from '../../access/gatekeeper.ts'
import type { SiteRules } from '../../access/site-rules.ts'
import { closeListener, listen, newListener } from '../../http/listener.ts'
import type { Signal } from '../../store/keeper.ts'
import type { Admission } from '../admission.ts'
import { responseBody, statusBody } from '../otlp-responses.ts'
import { VERSION_HEADER, profilesVersion } from '../profiles-version.ts'
import { pushContent } from './push.ts'
import { readBody } from './read-body.ts'
import type { ReceiveEvents, Receiver, SentContent } from '../receiver.ts'
import { Code, Refusal, tooLarge, unsupported } from '../refusal.ts'
import type { TlsFiles } from '../tls-files.ts'

const PATHS: readonly (readonly [path: string, signal: Signal])[] = [
  ['/v1development/profiles', 'profiles'],
  ['/v1experimental/profiles', 'profiles'],
  ['/v1/traces', 'traces'],
  ['/v1/logs', 'logs'],
  ['/v1/metrics', 'metrics'],
]
const PUSH_PATH = '/v1/push'

export interface OtlpHttpOptions {
  readonly receiver: Receiver
  readonly gatekeeper: Gatekeeper
  readonly admission: Admission
  readonly events: ReceiveEvents
  readonly maxBody: number
  readonly site: SiteRules
  readonly clientTimeoutMs?: number
  readonly tls: TlsFiles | undefined
  readonly onError: (error: unknown) => void
}

type Encoding = 'protobuf' | 'json'

export class OtlpHttpServer {
  readonly #app: FastifyInstance
  readonly #options: OtlpHttpOptions

  constructor(options: OtlpHttpOptions) {
    this.#options = options
    const { tls, site } = options
    this.#app = newListener(tls, site, {
      exposeHeadRoutes: false,
      ...(options.clientTimeoutMs === undefined ? {} : { clientTimeoutMs: options.clientTimeoutMs }),
    })
  }

  async listen(host: string, port: number): Promise<number> {
    const app = this.#app
    const { corsOrigins = [] } = this.#options.site
    if (corsOrigins.length > 0) {
      await app.register(cors, {
        origin: corsOrigins.includes('*') ? true : [...corsOrigins],
        methods: ['POST'],
        exposedHeaders: ['Retry-After'],
        maxAge: 7200,
      })
    }
    // Bodies stay unread until access and memory are checked.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
    app.setErrorHandler((error, request, reply) => this.#fail(error, request, reply))
    app.setNotFoundHandler(async (request, reply) => this.#notFound(request, reply))
    for (const [path, signal] of PATHS) app.post(path, async (request, reply) => this.#export(signal, request, reply))
    app.post(PUSH_PATH, async (request, reply) => this.#push(request, reply))
    return listen(app, host, port)
  }

  /** Waits for running requests, and cancels them after `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    await closeListener(this.#app, timeoutMs)
  }

  async #export(signal: Signal, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = encodingOf(request)
    const client = request.headers['user-agent'] ?? ''
    const response = await this.#admitted(request, async (identity, read) => {
      if (encoding === undefined)
        throw unsupported(
          `unsupported Content-Type '${request.headers['content-type'] ?? ''}'; use application/x-protobuf or application/json`,
        )
      const version = signal === 'profiles' ? versionOf(request) : ''
      const sent = await read()
      const incoming = { signal, encoding, transport: 'http', ...sent, identity, client, version } as const
      void reply.type(contentType(encoding))
      return responseBody(await this.#options.receiver.receive(incoming), encoding)
    })
    return reply.send(response)
  }

  async #push(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const client = request.headers['user-agent'] ?? ''
    const query = request.query as Readonly<Record<string, string | readonly string[]>>
    const { response } = await this.#admitted(request, async (identity, read) => {
      const version = versionOf(request)
      const content = pushContent(query)
      const incoming = { content, transport: 'http', identity, client, version, ...(await read()) } as const
      return this.#options.receiver.receive(incoming)
    })
    return reply.send(response)
  }

  /** Admits a request while `work` runs. `read` returns its body as it was sent. */
  async #admitted<Result>(
    request: FastifyRequest,
    work: (identity: Identity, read: () => Promise<SentContent>) => Promise<Result>,
  ): Promise<Result> {
    const { gatekeeper, admission, maxBody } = this.#options
    const identity = gatekeeper.identify(headerCredentials(request.headers), 'write')
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > maxBody) throw tooLarge(maxBody, `the body has ${announced} bytes`)
    const admitted = admission.admit(announced)
    try {
      return await work(identity, async () => ({
        body: await readBody(request.raw, maxBody, admitted),
        contentEncoding: request.headers['content-encoding'] ?? '',
      }))
    } finally {
      admitted.release()
    }
  }

  #fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = this.#refusalFor(error)
    const path = request.routeOptions.url
    const signal = PATHS.find(([known]) => known === path)?.[1] ?? 'profiles'
    this.#options.events.refused(signal, refusal)
    if (refusal.retryAfterSeconds !== undefined)
      void reply.header('retry-after', String(Math.ceil(refusal.retryAfterSeconds)))
    if (refusal.http === 401) void reply.header('www-authenticate', 'Bearer')
    const encoding = path === PUSH_PATH ? 'json' : (encodingOf(request) ?? 'json')
    return reply.code(refusal.http).type(contentType(encoding)).send(statusBody(refusal, encoding))
  }

  #refusalFor(error: unknown): Refusal {
    if (error instanceof Refusal) return error
    if (error instanceof AccessError) return accessRefusal(error)
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupported('invalid Content-Type')
    this.#options.onError(error)
    return new Refusal(500, Code.internal, 'internal', 'internal error; see the server log')
  }

  async #notFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const known = [...PATHS.map(([path]) => path), PUSH_PATH]
    const path = request.url.split('?')[0]
    const wrongMethod = known.includes(path)
    const message = wrongMethod ? `${path} requires POST` : `unknown path; use ${known.join(', ')}`
    return reply.code(wrongMethod ? 405 : 404).send({ code: Code.unimplemented, message })
  }
}

export function accessRefusal(error: AccessError): Refusal {
  const code = { 400: Code.invalidArgument, 401: Code.unauthenticated, 403: Code.permissionDenied }[error.status]
  return new Refusal(error.status, code, 'access', error.message)
}

function versionOf(request: FastifyRequest): string {
  return profilesVersion(request.raw.headersDistinct[VERSION_HEADER] ?? [])
}

/** Ignores parameters such as `; charset=utf-8`. */
function encodingOf(request: FastifyRequest): Encoding | undefined {
  const type = (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase()
  if (type === 'application/x-protobuf' || type === 'application/protobuf') return 'protobuf'
  if (type === 'application/json') return 'json'
  return undefined
}

function contentType(encoding: Encoding): string {
  return encoding === 'protobuf' ? 'application/x-protobuf' : 'application/json'
}
