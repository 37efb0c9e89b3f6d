// gRPC server reflection, v1 and v1alpha, which differ only in their names. Tools such as grpcurl discover services with it.
import type { Server, ServerDuplexStream } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import type { ContentOf, ProtoFile } from '@hearth/signals'
import {
  PROTO_FILES,
  bytes,
  codecOf,
  defineMessage,
  fileOfSymbol,
  int32,
  message,
  messages,
  oneOf,
  repeated,
  text,
} from '@hearth/signals'
import { HEALTH_FILE } from './grpc-health.ts'
import { rawMethod } from './raw-method.ts'

const ALWAYS_SHOWN: readonly ProtoFile[] = [...PROTO_FILES, HEALTH_FILE]

const VERSIONS = ['v1', 'v1alpha'] as const

const EXTENSION_REQUEST = defineMessage('grpc.reflection.ExtensionRequest', {
  containingType: text(1),
  extensionNumber: int32(2),
})

export const REFLECTION_REQUEST = defineMessage('grpc.reflection.ServerReflectionRequest', {
  host: text(1),
  fileByFilename: oneOf('request', text(3)),
  fileContainingSymbol: oneOf('request', text(4)),
  fileContainingExtension: oneOf('request', message(5, EXTENSION_REQUEST)),
  allExtensionNumbersOfType: oneOf('request', text(6)),
  listServices: oneOf('request', text(7)),
})

export interface ReflectionRequest extends ContentOf<typeof REFLECTION_REQUEST> {}

const SERVICE = defineMessage('grpc.reflection.ServiceResponse', { name: text(1) })
const FILES = defineMessage('grpc.reflection.FileDescriptorResponse', { fileDescriptorProto: repeated(bytes(1)) })
const SERVICES = defineMessage('grpc.reflection.ListServiceResponse', { service: messages(1, SERVICE) })
const ERROR = defineMessage('grpc.reflection.ErrorResponse', { errorCode: int32(1), errorMessage: text(2) })

export const REFLECTION_RESPONSE = defineMessage('grpc.reflection.ServerReflectionResponse', {
  validHost: text(1),
  originalRequest: message<ReflectionRequest>(2, REFLECTION_REQUEST),
  fileDescriptorResponse: oneOf('response', message(4, FILES)),
  listServicesResponse: oneOf('response', message(6, SERVICES)),
  errorResponse: oneOf('response', message(7, ERROR)),
})

export interface ReflectionResponse extends ContentOf<typeof REFLECTION_RESPONSE> {}

const requestCodec = codecOf(REFLECTION_REQUEST, 'gRPC reflection request')
const responseCodec = codecOf(REFLECTION_RESPONSE, 'gRPC reflection response')

/** Returns a function that ends all streams. Tools keep them open, which would delay the server's shutdown. */
export function addReflection(server: Server, more: readonly ProtoFile[]): () => void {
  const files = [...new Map([...ALWAYS_SHOWN, ...more].map(file => [file.name, file])).values()]
  const streams = new Set<ServerDuplexStream<Buffer, Uint8Array>>()
  for (const version of VERSIONS) {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
    server.addService(
      { ServerReflectionInfo: rawMethod(path, { requestStream: true, responseStream: true }) },
      {
        ServerReflectionInfo: (call: ServerDuplexStream<Buffer, Uint8Array>) => {
          streams.add(call)
          call.on('data', (request: Buffer) => {
            try {
              call.write(responseTo(files, request))
            } catch (error) {
              const details = error instanceof Error ? error.message : String(error)
              call.emit('error', { code: status.INVALID_ARGUMENT, details })
            }
          })
          const leave = (): void => {
            streams.delete(call)
            call.end()
          }
          call.on('end', leave).on('cancelled', leave)
        },
      },
    )
  }
  return () => {
    for (const stream of streams) stream.end()
    streams.clear()
  }
}

function responseTo(files: readonly ProtoFile[], bytesOfRequest: Buffer): Uint8Array {
  const originalRequest = requestCodec.decode(bytesOfRequest)
  const { host, fileByFilename, fileContainingSymbol, listServices } = originalRequest
  const nothing = { fileDescriptorResponse: undefined, listServicesResponse: undefined, errorResponse: undefined }
  const common = { validHost: host, originalRequest, ...nothing }
  if (listServices !== undefined) {
    const names = files.flatMap(file => file.services)
    return responseCodec.encode({ ...common, listServicesResponse: { service: names.map(name => ({ name })) } })
  }
  const found =
    fileContainingSymbol === undefined
      ? files.find(file => file.name === fileByFilename)
      : fileOfSymbol(files, fileContainingSymbol)
  if (found === undefined) {
    const wanted = fileByFilename ?? fileContainingSymbol
    const errorMessage = wanted === undefined ? 'there are no extensions' : `unknown symbol or file ${wanted}`
    return responseCodec.encode({ ...common, errorResponse: { errorCode: status.NOT_FOUND, errorMessage } })
  }
  const fileDescriptorProto = withDependencies(files, found.name).map(file => file.protobufDescriptor())
  return responseCodec.encode({ ...common, fileDescriptorResponse: { fileDescriptorProto } })
}

/** The file and all its dependencies; the file comes first. */
function withDependencies(files: readonly ProtoFile[], name: string): readonly ProtoFile[] {
  const names = new Set([name])
  for (const current of names)
    for (const dependency of files.find(file => file.name === current)?.dependencies ?? []) names.add(dependency)
  return [...names].flatMap(wanted => files.filter(file => file.name === wanted))
}
