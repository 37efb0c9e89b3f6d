// Disconnects clients that send many requests over one connection without waiting for responses. Node parses all that arrive and
// starts them at once, so that one client could occupy the main thread for seconds and fill the memory with responses.
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Clients that pipeline at all have some requests open, and browsers have one. */
export const MAX_OPEN_REQUESTS = 100

export function limitPipelines(app: FastifyInstance): void {
  const open = new WeakMap<Socket, number>()
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    const count = (open.get(socket) ?? 0) + 1
    open.set(socket, count)
    reply.raw.once('close', () => open.set(socket, (open.get(socket) ?? 1) - 1))
    if (count > MAX_OPEN_REQUESTS) socket.destroy()
    // Node parses the rest of what has arrived even then. Nobody waits for these responses.
    if (socket.destroyed) reply.hijack()
  })
}
