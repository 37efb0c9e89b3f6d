// A method of a gRPC service whose messages are raw bytes.
import type { Metadata, MethodDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import type { ProtoFile } from '@hearth/signals'

/** The value by which the gRPC library represents no error and no certificate. */
// oxlint-disable-next-line unicorn/no-null
export const NOTHING = null

export type RawMethod = MethodDefinition<Buffer, Uint8Array>

export function rawMethod(
  path: string,
  { requestStream = false, responseStream = false }: { requestStream?: boolean; responseStream?: boolean } = {},
): RawMethod {
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: bytes => bytes,
    requestDeserialize: bytes => bytes,
    responseSerialize: bytes => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    responseDeserialize: bytes => bytes,
  }
}

/** The arguments of `Server.addService`. */
export interface GrpcService {
  readonly name: string
  readonly definition: Readonly<Record<string, RawMethod>>
  readonly implementation: UntypedServiceImplementation
  /** Ends the service's streams, which would delay the shutdown. */
  readonly end?: () => void
  /** Files that reflection shows for the service. */
  readonly files?: readonly ProtoFile[]
}

/** The first value of a header; undefined if it is absent or binary. */
export function firstValue(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name)
  return typeof value === 'string' ? value : undefined
}
