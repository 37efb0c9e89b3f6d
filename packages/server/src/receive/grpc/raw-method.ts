// A method of a gRPC service whose messages stay bytes.
import type { MethodDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import type { ProtoFile } from '@hearth/signals'

/** How gRPC's library spells that there is no error or no certificate. */
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

/** What `Server.addService` takes. */
export interface GrpcService {
  readonly name: string
  readonly definition: Readonly<Record<string, RawMethod>>
  readonly implementation: UntypedServiceImplementation
  /** Ends its streams, which would hold up the server's end. */
  readonly end?: () => void
  /** What reflection shows of it. */
  readonly files?: readonly ProtoFile[]
}
