// Sends requests to the worker and returns its responses as promises.
import type { WorkerRequest, WorkerRequestName, WorkerRequests, WorkerResponse } from '../worker/messages.ts'

/** An error in the worker; `kind` is its name there. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'
  readonly kind: string

  constructor(kind: string, message: string) {
    super(message)
    this.kind = kind
  }
}

interface PendingRequest {
  readonly resolve: (response: unknown) => void
  readonly reject: (error: unknown) => void
}

export class WorkerPort {
  readonly #pending = new Map<number, PendingRequest>()
  #worker: Worker | undefined
  #next = 0

  /** Aborting the signal only ignores the response. Only `stop` ends running work. */
  request<Name extends WorkerRequestName>(
    name: Name,
    request: WorkerRequests[Name]['request'],
    signal?: AbortSignal,
  ): Promise<WorkerRequests[Name]['response']> {
    const id = this.#next++
    const message: WorkerRequest<Name> = { id, name, request }
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error)
      this.#pending.set(id, { resolve: resolve as (response: unknown) => void, reject })
      signal?.addEventListener('abort', () => {
        this.#pending.delete(id)
        reject(signal.reason as Error)
      })
      this.#started().postMessage(message)
    })
  }

  /** Ends the worker and its work. The next request starts another worker, which has no open files. */
  stop(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    const error = new DOMException('stopped', 'AbortError')
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(new URL('../worker/analyze.worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', (event: MessageEvent<WorkerResponse>) => this.#receive(event.data))
    worker.addEventListener('error', event => this.#fail(event.message))
    return (this.#worker = worker)
  }

  #receive(response: WorkerResponse): void {
    const pending = this.#pending.get(response.id)
    this.#pending.delete(response.id)
    if ('result' in response) pending?.resolve(response.result)
    else pending?.reject(new WorkerError(response.error.name, response.error.message))
  }

  /** The worker itself failed, for example for lack of memory. No request gets a response. */
  #fail(message: string): void {
    const error = new WorkerError('Error', message === '' ? 'the worker that reads files stopped' : message)
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
    this.#worker = undefined
  }
}
