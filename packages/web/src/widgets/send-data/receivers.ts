// The addresses that data is sent to, as the server states them.
import type { StatusResponse } from '@hearth/client'

export interface Receivers {
  /** Such as `http://127.0.0.1:4040`. */
  readonly main: string
  readonly otlpHttp: string
  /** Such as `127.0.0.1:4317`. */
  readonly otlpGrpc: string
  readonly grpcTls: boolean
  /** Whether senders need a token. */
  readonly needsToken: boolean
}

/** `host` is the name by which the browser reaches the server. Ports that the server does not state are the default ones. */
export function receiversAt(
  host: string,
  stated: StatusResponse['receivers'],
  main: string,
  needsToken: boolean,
): Receivers {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const http = stated.find(each => each.name.startsWith('OTLP over HTTP'))
  const grpc = stated.find(each => each.name.startsWith('OTLP over gRPC'))
  return {
    main: main.replace(/\/$/, ''),
    otlpHttp: `${http?.tls === true ? 'https' : 'http'}://${name}:${http?.port ?? 4318}`,
    otlpGrpc: `${name}:${grpc?.port ?? 4317}`,
    grpcTls: grpc?.tls ?? false,
    needsToken,
  }
}
