// The page's end of the worker: questions with their answers as promises.
import type { Asked, QuestionName, Questions, Said } from '../worker/messages.ts'

/** What went wrong in the worker; `kind` is the name of the error there. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'
  readonly kind: string

  constructor(kind: string, message: string) {
    super(message)
    this.kind = kind
  }
}

interface Waiting {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

export class WorkerPort {
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #next = 0

  /** A signal that aborts leaves the answer unheard; only `stop` ends work that is under way. */
  ask<Name extends QuestionName>(
    name: Name,
    asks: Questions[Name]['asks'],
    signal?: AbortSignal,
  ): Promise<Questions[Name]['answer']> {
    const id = this.#next++
    const asked: Asked<Name> = { id, name, asks }
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error)
      this.#waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject })
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(id)
        reject(signal.reason as Error)
      })
      this.#started().postMessage(asked)
    })
  }

  /** Ends the worker with all that it does; the next question starts another, which has no files. */
  stop(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    const error = new DOMException('stopped', 'AbortError')
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(new URL('../worker/analyze.worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', (event: MessageEvent<Said>) => this.#hear(event.data))
    worker.addEventListener('error', event => this.#fail(event.message))
    return (this.#worker = worker)
  }

  #hear(said: Said): void {
    const waiting = this.#waiting.get(said.id)
    this.#waiting.delete(said.id)
    if ('answer' in said) waiting?.resolve(said.answer)
    else waiting?.reject(new WorkerError(said.error.name, said.error.message))
  }

  /** The worker itself broke, as when memory ends: nobody will be answered. */
  #fail(message: string): void {
    const error = new WorkerError('Error', message === '' ? 'the worker that reads files has stopped' : message)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    this.#worker = undefined
  }
}
