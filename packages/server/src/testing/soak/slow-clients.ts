// Clients that send a request byte by byte, or read nothing of their responses, and the time until the server cuts them.
import { connect } from 'node:net'

export interface CutRequest {
  readonly kind: 'slow-request' | 'slow-otlp-request' | 'slow-reader'
  readonly seconds: number
}

const BYTE_EVERY_MS = 1000
/** Their responses are more than the socket buffers of both sides hold. A server disconnects clients with more than 100. */
const UNREAD_REQUESTS = 90

export function sendSlowly(port: number, path: string, kind: CutRequest['kind']): Promise<CutRequest> {
  const begun = performance.now()
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
  )
  const timer = setInterval(() => socket.write(' '), BYTE_EVERY_MS)
  return new Promise(resolve => {
    socket.on('error', () => undefined)
    socket.resume()
    socket.once('close', () => {
      clearInterval(timer)
      resolve({ kind, seconds: (performance.now() - begun) / 1000 })
    })
  })
}

/** Sends requests one after the other and reads no response. */
export function readNothing(port: number, path: string): Promise<CutRequest> {
  const begun = performance.now()
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`
  socket.write(request.repeat(UNREAD_REQUESTS))
  // A paused socket does not report its end, but a write to a closed connection fails.
  const timer = setInterval(() => socket.write('\r\n'), BYTE_EVERY_MS)
  return new Promise(resolve => {
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearInterval(timer)
      resolve({ kind: 'slow-reader', seconds: (performance.now() - begun) / 1000 })
    })
  })
}
