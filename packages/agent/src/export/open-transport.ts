// Opens the transport of the protocol. It sends from the thread that opens it.
import type { Destination } from '../configuration/options.ts'
import { GrpcTransport } from './grpc-transport.ts'
import { HttpTransport } from './http-transport.ts'
import type { Transport } from './transport.ts'

export function openTransport(
  destination: Destination,
  userAgent: string,
  onProblem: (problem: string) => void,
): Transport {
  return new (destination.protocol === 'grpc' ? GrpcTransport : HttpTransport)(destination, userAgent, onProblem)
}
