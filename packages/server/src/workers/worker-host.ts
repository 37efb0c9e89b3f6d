// The side of a worker thread: its entry file calls hostWorker with the handlers that the pool calls.
import { parentPort, workerData } from 'node:worker_threads'
import type { Handlers } from './channel.ts'
import { Channel } from './channel.ts'
import type { ErrorKinds } from './error-data.ts'

/** `make` gets the data of the pool and a way to call the main thread, and returns the handlers of this thread. */
export function hostWorker<Main extends Handlers, Data>(
  make: (data: Data, main: Channel<Main>) => Handlers,
  kinds: ErrorKinds = [],
): void {
  if (parentPort === null) throw new Error('this file runs as a worker thread')
  const handlers: Record<string, Handlers[string]> = {}
  const main = new Channel<Main>(parentPort, handlers, kinds)
  Object.assign(handlers, make(workerData as Data, main))
}
