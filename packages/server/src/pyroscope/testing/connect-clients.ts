// Clients of other people's making: our .proto files compiled with buf, and Connect's own transports over them.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DescMethod, DescService, FileRegistry, JsonValue, Message as BufMessage } from '@bufbuild/protobuf'
import { createFileRegistry, fromBinary, fromJson, toJson } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { CallOptions, Transport } from '@connectrpc/connect'
import { createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'

const PROTO = fileURLToPath(new URL('../proto', import.meta.url))

/** Every type of the .proto files. */
export function compiledProtos(): FileRegistry {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-proto-'))
  try {
    const require = createRequire(import.meta.url)
    const buf = join(require.resolve('@bufbuild/buf/package.json'), '..', 'bin', 'buf')
    const file = join(directory, 'set.binpb')
    execFileSync(process.execPath, [buf, 'build', PROTO, '--as-file-descriptor-set', '-o', file])
    return createFileRegistry(fromBinary(FileDescriptorSetSchema, new Uint8Array(readFileSync(file))))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export type Json = { readonly [name: string]: JsonValue }

/** Asks with JSON and gives JSON, whatever goes over the wire in between. */
export type Client = (method: string, request: Json, options?: CallOptions) => Promise<Json>

export interface Clients {
  readonly 'Connect JSON': Client
  readonly 'Connect protobuf': Client
  readonly gRPC: Client
}

export function clientsOf(url: string, grpcUrl: string, service = 'querier.v1.QuerierService'): Clients {
  const found = compiledProtos().getService(service)
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
    const answer = await calls[method.localName](fromJson(method.input, request), options)
    return toJson(method.output, answer, { alwaysEmitImplicit: true }) as Json
  }
}
