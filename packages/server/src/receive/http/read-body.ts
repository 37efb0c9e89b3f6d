// Reads the body of an HTTP request and counts it as it grows, because a body without an announced length must not take too
// much memory either.
import type { IncomingMessage } from 'node:http'
import type { Admitted } from '../admission.ts'
import { Code, Refusal, tooLarge } from '../refusal.ts'

/** Throws Refusal. Reads and drops the rest of a refused body, so that the sender receives the response. */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  admitted: Admitted,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    const settle = (): void => {
      request.off('data', take).off('end', end).off('close', cut).off('error', cut)
      // A later error without a listener would end the process.
      request.on('error', () => {})
    }
    const take = (chunk: Buffer): void => {
      length += chunk.length
      try {
        if (length > limit) throw tooLarge(limit, 'the body is too large')
        if (length > admitted.bytes) admitted.resize(length)
        chunks.push(chunk)
      } catch (error) {
        settle()
        request.resume()
        reject(error)
      }
    }
    const end = (): void => {
      settle()
      resolve(joined(chunks, length))
    }
    const cut = (): void => {
      settle()
      reject(new Refusal(400, Code.invalidArgument, 'aborted', 'the request was aborted'))
    }
    if (request.destroyed) return cut()
    request.on('data', take).on('end', end).on('close', cut).on('error', cut)
  })
}

/** In a buffer of its own, which can move to another thread. */
function joined(chunks: readonly Buffer[], length: number): Uint8Array<ArrayBuffer> {
  // Filling 50 KB with zeros first would take as long as the copy.
  const body = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer as ArrayBuffer, 0, length)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}
