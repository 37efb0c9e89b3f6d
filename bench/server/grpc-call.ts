// Unary gRPC calls over plain http2, by default OTLP exports, so that the client costs little compared with the server.
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2'

const EXPORT = '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export'

/** Copies the payload, because its bytes change with the next request. */
export function frame(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(message.length + 5)
  framed[0] = 0
  framed.writeUInt32BE(message.length, 1)
  message.copy(framed, 5)
  return framed
}

/** Resolves with the gRPC status. Throws unless the server stored the request or requested a retry. */
export function call(session: ClientHttp2Session, body: Buffer, path = EXPORT): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let status = ''
    let message = ''
    const read = (headers: IncomingHttpHeaders): void => {
      status = headers['grpc-status']?.toString() ?? status
      message = headers['grpc-message']?.toString() ?? message
    }
    stream.on('response', read)
    stream.on('trailers', read)
    stream.on('error', reject)
    stream.on('close', () => {
      if (status === '0' || status === '8' || status === '14') resolve(Number(status))
      else reject(new Error(`gRPC status '${status}': ${message}`))
    })
    stream.resume()
    stream.end(body)
  })
}
