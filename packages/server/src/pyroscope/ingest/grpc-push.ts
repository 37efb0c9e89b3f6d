// push.v1.PusherService as a service of the gRPC server, with raw bytes like the OTLP services.
import type { ServerUnaryCall, sendUnaryData, status } from '@grpc/grpc-js'
import type { GrpcService } from '../../receive/grpc/raw-method.ts'
import { NOTHING, firstValue, rawMethod } from '../../receive/grpc/raw-method.ts'
import { identifyClient, refusalFor } from '../admit-request.ts'
import type { PyroscopeIngestOptions } from './add-ingest.ts'
import { pyroscopePush } from './push.ts'
import { PUSHER_SERVICE } from '../messages/push-messages.ts'

const NO_CONTENT = new Uint8Array(0)

export function pusherService(options: PyroscopeIngestOptions): GrpcService {
  return {
    name: PUSHER_SERVICE,
    definition: { Push: rawMethod(`/${PUSHER_SERVICE}/Push`) },
    implementation: {
      Push: (call: ServerUnaryCall<Buffer, Uint8Array>, callback: sendUnaryData<Uint8Array>) => {
        void pushCall(options, call, callback)
      },
    },
  }
}

async function pushCall(
  options: PyroscopeIngestOptions,
  { request, metadata }: ServerUnaryCall<Buffer, Uint8Array>,
  callback: sendUnaryData<Uint8Array>,
): Promise<void> {
  const { receiver, gatekeeper, admission, events, onError, now = Date.now } = options
  try {
    const credentials = {
      authorization: firstValue(metadata, 'authorization'),
      scopeOrgId: firstValue(metadata, 'x-scope-orgid'),
    }
    const identity = identifyClient(gatekeeper, credentials, 'write')
    const admitted = admission.admit(request.length)
    try {
      const client = firstValue(metadata, 'user-agent') ?? ''
      const content = pyroscopePush({ encoding: 'proto', nowMs: now() })
      await receiver.receive({ content, transport: 'grpc', identity, client, body: request })
    } finally {
      admitted.release()
    }
    callback(NOTHING, NO_CONTENT)
  } catch (error) {
    const refusal = refusalFor(error, onError)
    events.refused('profiles', refusal)
    callback({ code: refusal.code as status, details: refusal.message })
  }
}
