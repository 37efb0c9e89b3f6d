// The body of an HTTP request as it comes in, counted while it grows: a body whose length is not announced must not take
// more memory than there is, either.
import type { IncomingMessage } from 'node:http'
import type { Admitted } from '../admission.ts'
import { Code, Refusal, tooLarge } from '../refusal.ts'

/** Throws Refusal. What is left of a refused body is read and dropped, so that its sender gets to see the answer. */
export async function readBody(request: IncomingMessage, limit: number, admitted: Admitted): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise<Uint8Array>((resolve, reject) => {
    const settle = (): void => {
      request.off('data', take).off('end', end).off('close', cut).off('error', cut)
      // An error may still come, and without a listener it would end the process.
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
      resolve(Buffer.concat(chunks, length))
    }
    const cut = (): void => {
      settle()
      reject(new Refusal(400, Code.invalidArgument, 'aborted', 'the request broke off'))
    }
    if (request.destroyed) return cut()
    request.on('data', take).on('end', end).on('close', cut).on('error', cut)
  })
}
