// querier.v1.QuerierService as a service of the gRPC server, with raw bytes like the OTLP services.
import type { ServerUnaryCall, sendUnaryData, status } from '@grpc/grpc-js'
import type { GrpcService } from '../../receive/grpc/raw-method.ts'
import { NOTHING, firstValue, rawMethod } from '../../receive/grpc/raw-method.ts'
import { identifyClient } from '../admit-request.ts'
import { PYROSCOPE_PROTO_FILES } from '../proto-files.ts'
import { QUERIER_SERVICE } from '../messages/querier-messages.ts'
import { querierRefusal } from './querier-failure.ts'
import type { QuerierMethod } from './querier-methods.ts'
import { QUERIER_METHODS } from './querier-methods.ts'
import type { QuerierOptions } from './querier-service.ts'
import { callQuerier } from './querier-service.ts'

export function querierService(options: QuerierOptions): GrpcService {
  const path = (name: string) => `/${QUERIER_SERVICE}/${name}`
  return {
    name: QUERIER_SERVICE,
    definition: Object.fromEntries(QUERIER_METHODS.map(({ name }) => [name, rawMethod(path(name))])),
    implementation: Object.fromEntries(QUERIER_METHODS.map(method => [method.name, handlerOf(options, method)])),
    // The definitions include the pusher's, whose types they share.
    files: PYROSCOPE_PROTO_FILES,
  }
}

type RawCall = ServerUnaryCall<Buffer, Uint8Array>

function handlerOf(options: QuerierOptions, { name }: QuerierMethod) {
  const response = async (call: RawCall, signal: AbortSignal): Promise<Uint8Array> => {
    const { gatekeeper, admission } = options
    const { metadata, request } = call
    const credentials = {
      authorization: firstValue(metadata, 'authorization'),
      scopeOrgId: firstValue(metadata, 'x-scope-orgid'),
    }
    const { tenant } = identifyClient(gatekeeper, credentials, 'read')
    const admitted = admission.admit(request.length)
    try {
      // The library ends calls at their deadline and reports them as cancelled.
      const caller = { tenant, signal, timeoutMs: undefined }
      return await callQuerier(options, caller, { method: name, encoding: 'proto', body: request })
    } finally {
      admitted.release()
    }
  }
  const handle = async (call: RawCall, callback: sendUnaryData<Uint8Array>): Promise<void> => {
    const gone = new AbortController()
    call.on('cancelled', () => gone.abort())
    try {
      callback(NOTHING, await response(call, gone.signal))
    } catch (error) {
      const refusal = querierRefusal(error, options.onError)
      callback({ code: refusal.code as status, details: refusal.message })
    }
  }
  return (call: RawCall, callback: sendUnaryData<Uint8Array>): void => {
    void handle(call, callback)
  }
}
