// Exports OTLP profiles over gRPC without a client library: one unary call over HTTP/2.
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http2'
import { connect } from 'node:http2'

const EXPORT = '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export'

/** Returns grpc-status and grpc-message of the response. `0` is success. */
export async function grpcExport(address: string, request: Uint8Array): Promise<string> {
  const session = connect(`http://${address}`)
  try {
    await once(session, 'connect')
    const stream = session.request({
      ':method': 'POST',
      ':path': EXPORT,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let status = 'no status'
    const note = (headers: IncomingHttpHeaders): void => {
      const [code, message = ''] = [headers['grpc-status'], headers['grpc-message']].flat()
      if (code !== undefined) status = code === '0' ? code : `${code} ${message}`.trim()
    }
    stream.on('response', note)
    stream.on('trailers', note)
    const head = Buffer.alloc(5)
    head.writeUInt32BE(request.length, 1)
    stream.end(Buffer.concat([head, request]))
    stream.resume()
    await once(stream, 'close')
    return status
  } finally {
    session.close()
  }
}
