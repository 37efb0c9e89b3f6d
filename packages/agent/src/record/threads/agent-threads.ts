// The threads of the agent itself. They are not recorded, and captures do not count them as missing.
import type { Worker } from 'node:worker_threads'

/** Add a thread as soon as it is created: Node announces it in the next tick. */
export const agentThreads = new WeakSet<Worker>()
