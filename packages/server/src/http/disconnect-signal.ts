// A signal for the work on a response that nobody waits for any more.
import type { FastifyReply } from 'fastify'

/** Aborts when the client disconnects before it has the response. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
