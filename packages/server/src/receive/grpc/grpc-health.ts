// grpc.health.v1.Health. Load balancers and orchestrators use it to decide whether to send requests to this server.
import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import type { Message, ProtoFile } from '@hearth/signals'
import { codecOf, defineMessage, enumeration, protoFiles, text } from '@hearth/signals'
import { NOTHING, rawMethod } from './raw-method.ts'

const HEALTH_SERVICE = 'grpc.health.v1.Health'

const SERVING_STATUS = {
  name: 'grpc.health.v1.HealthCheckResponse.ServingStatus',
  values: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 },
} as const

export const HEALTH_CHECK_REQUEST = defineMessage('grpc.health.v1.HealthCheckRequest', { service: text(1) })
export const HEALTH_CHECK_RESPONSE = defineMessage('grpc.health.v1.HealthCheckResponse', {
  status: enumeration(1, SERVING_STATUS),
})

/** The file that reflection shows for the service. */
export const [HEALTH_FILE]: readonly ProtoFile[] = protoFiles([
  {
    name: 'grpc/health/v1/health.proto',
    types: [HEALTH_CHECK_REQUEST as Message, HEALTH_CHECK_RESPONSE as Message, SERVING_STATUS],
    service: {
      name: HEALTH_SERVICE,
      methods: [
        { name: 'Check', request: HEALTH_CHECK_REQUEST, response: HEALTH_CHECK_RESPONSE },
        { name: 'Watch', request: HEALTH_CHECK_REQUEST, response: HEALTH_CHECK_RESPONSE, serverStreaming: true },
      ],
    },
  },
])

const requestCodec = codecOf(HEALTH_CHECK_REQUEST, 'gRPC health check')
const responseCodec = codecOf(HEALTH_CHECK_RESPONSE, 'gRPC health response')

/** How often watched states are checked. */
const WATCH_MS = 1000
/** Each watcher holds a stream. */
const MAX_WATCHERS = 64

interface Watcher {
  readonly look: () => void
  readonly end: () => void
}

export interface HealthService {
  /** Whether the server accepts requests now. */
  readonly ready: () => boolean
  /** Names of the services; the empty name means the whole server. */
  readonly services: readonly string[]
}

/** Returns a function that ends all watches with NOT_SERVING. Open streams would delay the server's shutdown. */
export function addHealth(server: Server, health: HealthService): () => void {
  const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = SERVING_STATUS.values
  const watchers = new Set<Watcher>()
  const stateOf = (request: Buffer): number => {
    const { service } = requestCodec.decode(request)
    if (service !== '' && !health.services.includes(service)) return SERVICE_UNKNOWN
    return health.ready() ? SERVING : NOT_SERVING
  }
  server.addService(
    {
      Check: rawMethod(`/${HEALTH_SERVICE}/Check`),
      Watch: rawMethod(`/${HEALTH_SERVICE}/Watch`, { responseStream: true }),
    },
    {
      Check: (call: ServerUnaryCall<Buffer, Uint8Array>, callback: sendUnaryData<Uint8Array>) => {
        try {
          const state = stateOf(call.request)
          if (state === SERVICE_UNKNOWN) callback({ code: status.NOT_FOUND, details: 'no such service' })
          else callback(NOTHING, responseCodec.encode({ status: state }))
        } catch (error) {
          callback({ code: status.INVALID_ARGUMENT, details: error instanceof Error ? error.message : String(error) })
        }
      },
      Watch: (call: ServerWritableStream<Buffer, Uint8Array>) => {
        if (watchers.size >= MAX_WATCHERS) {
          call.emit('error', { code: status.RESOURCE_EXHAUSTED, details: `too many watchers (${MAX_WATCHERS})` })
          return
        }
        let last = -1
        const tell = (state: number): void => {
          if (state !== last) call.write(responseCodec.encode({ status: state }))
          last = state
        }
        try {
          tell(stateOf(call.request))
        } catch (error) {
          const details = error instanceof Error ? error.message : String(error)
          call.emit('error', { code: status.INVALID_ARGUMENT, details })
          return
        }
        const watcher: Watcher = {
          look: () => tell(stateOf(call.request)),
          end: () => {
            tell(NOT_SERVING)
            call.end()
          },
        }
        watchers.add(watcher)
        call.on('cancelled', () => {
          watchers.delete(watcher)
          call.end()
        })
      },
    },
  )
  const timer = setInterval(() => {
    for (const watcher of watchers) watcher.look()
  }, WATCH_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    for (const watcher of watchers) watcher.end()
    watchers.clear()
  }
}
