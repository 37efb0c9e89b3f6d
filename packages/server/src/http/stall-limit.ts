// Disconnects clients that do not read their responses: these hold memory, and during a stream a query slot.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface StallLimit {
  /** A client that reads nothing for this long is disconnected. */
  readonly stallMs: number
  /** The precision: it is disconnected at most about this much later. */
  readonly stepMs: number
}

/** A connection as of the last step. */
interface Progress {
  /** Bytes of completed writes. */
  written: number
  /** Bytes of the current write that the system has not accepted yet. */
  queued: number
  /** Steps without progress while bytes waited. */
  stalledSteps: number
}

/**
 * Checks connections, not responses: a client can pipeline requests, and all of their responses then wait at the connection.
 * Steps are counted instead of time, so that a server that was stopped does not blame its clients.
 */
export function limitStalls(server: Server, { stallMs, stepMs }: StallLimit): void {
  const maxSteps = Math.ceil(stallMs / stepMs)
  const connections = new Map<Socket, Progress>()
  const watch = (socket: Socket): void => {
    connections.set(socket, { written: 0, queued: 0, stalledSteps: 0 })
    socket.once('close', () => connections.delete(socket))
  }
  server.on('connection', watch)
  // With TLS, responses are written to another socket than that of the connection.
  server.on('secureConnection', watch)
  const timer = setInterval(() => {
    for (const [socket, progress] of connections)
      if (isStalled(socket, progress) && progress.stalledSteps >= maxSteps) socket.destroy()
  }, stepMs).unref()
  server.once('close', () => clearInterval(timer))
}

function isStalled(socket: Socket, progress: Progress): boolean {
  const written = socket.bytesWritten - socket.writableLength
  const queued = queuedBytes(socket)
  const stalled = socket.writableLength > 0 && written === progress.written && queued === progress.queued
  progress.written = written
  progress.queued = queued
  progress.stalledSteps = stalled ? progress.stalledSteps + 1 : 0
  return stalled
}

/** Node has no public property for the rest of a write. Without it, a slow reader of one large response would seem to stall. */
function queuedBytes(socket: Socket): number {
  return (socket as { readonly _handle?: { readonly writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0
}
