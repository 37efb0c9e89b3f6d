// Compresses and sends payloads in a thread of its own. Node's HTTP client and its compression use the same stream functions as the
// application. V8 has compiled these for the application's streams only, and discards that code when it meets others:
// in an HTTP service that sends no requests itself, the agent's requests cost more than its samples.
// If the thread cannot start (the application is bundled into one file, or threads are forbidden), this thread sends.
import { Worker } from 'node:worker_threads'
import type { Destination } from '../configuration/options.ts'
import { agentThreads } from '../record/threads/agent-threads.ts'
import type { Compress } from './compress.ts'
import { gzipLater } from './gzip.ts'
import { openTransport } from './open-transport.ts'
import type { Outcome, Transport } from './transport.ts'

/** The `workerData` of the thread. A URL cannot be posted. */
export interface ExportData {
  readonly destination: Omit<Destination, 'url'>
  readonly url: string
  readonly userAgent: string
}

export interface ExportCall {
  readonly method: 'gzip' | 'send'
  readonly body: Uint8Array
}

export type ExportMessage = { readonly result: Uint8Array | Outcome } | { readonly problem: string }

/** MiB. Payloads are outside of the heap. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 }

export class ThreadTransport implements Transport {
  readonly #destination: Destination
  readonly #userAgent: string
  readonly #onProblem: (problem: string) => void
  #worker: Worker | undefined
  /** Sends from this thread after the other one has failed. */
  #substitute: Transport | undefined
  /** Ends the call that runs. Undefined means that the thread has ended. */
  #end: ((result: Uint8Array | Outcome | undefined) => void) | undefined
  #isClosed = false

  constructor(destination: Destination, userAgent: string, onProblem: (problem: string) => void) {
    this.#destination = destination
    this.#userAgent = userAgent
    this.#onProblem = onProblem
  }

  readonly gzip: Compress = async body =>
    ((await this.#call('gzip', body)) as Uint8Array | undefined) ?? gzipLater(body)

  async send(body: Uint8Array): Promise<Outcome> {
    const outcome = (await this.#call('send', body)) as Outcome | undefined
    if (outcome !== undefined) return outcome
    if (this.#isClosed) return { kind: 'retry', why: 'closed', afterMillis: undefined }
    this.#substitute ??= openTransport(this.#destination, this.#userAgent, this.#onProblem)
    return this.#substitute.send(body)
  }

  close(): void {
    this.#isClosed = true
    void this.#worker?.terminate()
    this.#substitute?.close()
  }

  #call(method: ExportCall['method'], body: Uint8Array): Promise<Uint8Array | Outcome | undefined> {
    if (this.#substitute !== undefined || this.#isClosed) return Promise.resolve(undefined)
    return new Promise(resolve => {
      try {
        this.#worker ??= this.#start()
        this.#end = resolve
        this.#worker.postMessage({ method, body } satisfies ExportCall)
      } catch {
        resolve(undefined)
      }
    })
  }

  #start(): Worker {
    const { url, ...destination } = this.#destination
    const worker = new Worker(new URL('export-worker.js', import.meta.url), {
      name: 'hearth agent',
      workerData: { destination, url: url.href, userAgent: this.#userAgent } satisfies ExportData,
      // The thread must load neither the agent nor the instrumentation of the application.
      execArgv: [],
      env: { ...process.env, NODE_OPTIONS: '' },
      resourceLimits: HEAP_LIMITS,
      // Otherwise Node pipes these empty streams to those of the process, and V8 discards the code of all streams for it.
      stdout: true,
      stderr: true,
    })
    agentThreads.add(worker)
    worker.on('message', (message: ExportMessage) => {
      if ('problem' in message) this.#onProblem(message.problem)
      else this.#end?.(message.result)
    })
    // 'exit' follows.
    worker.on('error', () => {})
    worker.on('exit', () => {
      this.#worker = undefined
      this.#end?.(undefined)
    })
    worker.unref()
    return worker
  }
}
