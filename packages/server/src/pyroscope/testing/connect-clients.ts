// Clients that are independent of Hearth: buf compiles the .proto files, and Connect's transports send the requests.
import { fileURLToPath } from 'node:url'
import type { DescMethod, DescService, JsonValue, Message as BufMessage } from '@bufbuild/protobuf'
import { fromJson, toJson } from '@bufbuild/protobuf'
import type { CallOptions, Transport } from '@connectrpc/connect'
import { createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { compiledProtos } from '../../../../broker/src/messages/testing/compiled-protos.ts'

const PROTO = fileURLToPath(new URL('../proto', import.meta.url))

export type Json = { readonly [name: string]: JsonValue }

/** Takes and returns JSON, whatever the transport's encoding. */
export type Client = (method: string, request: Json, options?: CallOptions) => Promise<Json>

export interface Clients {
  readonly 'Connect JSON': Client
  readonly 'Connect protobuf': Client
  readonly gRPC: Client
}

export function clientsOf(url: string, grpcUrl: string, service = 'querier.v1.QuerierService'): Clients {
  const found = compiledProtos(PROTO).getService(service)
  if (found === undefined) throw new Error(`no ${service} in the .proto files`)
  const connect = { baseUrl: url, httpVersion: '1.1' } as const
  return {
    'Connect JSON': clientOf(found, createConnectTransport({ ...connect, useBinaryFormat: false })),
    'Connect protobuf': clientOf(found, createConnectTransport({ ...connect, useBinaryFormat: true })),
    gRPC: clientOf(found, createGrpcTransport({ baseUrl: grpcUrl })),
  }
}

type Call = (request: BufMessage, options?: CallOptions) => Promise<BufMessage>

function clientOf(service: DescService, transport: Transport): Client {
  const calls = createClient(service, transport) as unknown as Readonly<Record<string, Call>>
  return async (name, request, options) => {
    const method: DescMethod | undefined = service.methods.find(each => each.name === name)
    if (method === undefined) throw new Error(`no method ${name}`)
    const response = await calls[method.localName](fromJson(method.input, request), options)
    return toJson(method.output, response, { alwaysEmitImplicit: true }) as Json
  }
}
