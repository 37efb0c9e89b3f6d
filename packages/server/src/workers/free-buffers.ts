// Frees the memory of buffers at once instead of with the next garbage collection, which may be long after. A buffer that is posted
// to a closed port moves into a message that is dropped.
import { MessageChannel } from 'node:worker_threads'

const { port1: closed } = new MessageChannel()
closed.close()

/** The buffers are empty afterwards. Each must be the only owner of its memory. */
export function freeBuffers(buffers: readonly ArrayBuffer[]): void {
  closed.postMessage(undefined, buffers)
}
