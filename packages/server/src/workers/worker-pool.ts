// A pool of worker threads with the same entry file. Threads start when they are needed. If calls take long, a spare thread starts
// before another key needs it. A thread that dies fails its own calls only, and the next call starts another one.
import { Worker } from 'node:worker_threads'
import type { ArgumentOf, CallOptions, Handlers, ResultOf } from './channel.ts'
import { Channel } from './channel.ts'
import type { ErrorKinds } from './error-data.ts'
import { chooseSlot } from './schedule.ts'
import { WorkerError } from './worker-error.ts'

export interface WorkerPoolOptions<Remote extends Handlers> {
  /** For messages and metrics: `query`. */
  readonly name: string
  readonly entry: URL
  readonly size: number
  /** Maximum number of concurrent calls on one thread; 1 unless given. More help if calls wait for other threads. */
  readonly perThread?: number
  /** A spare thread starts if all others have calls for this long, the start of a thread included; 1000 unless given. */
  readonly spareAfterMs?: number
  /** Copied to each thread. */
  readonly data?: unknown
  /** The functions of the main thread that threads call. `place` is the number of the thread in the pool, from 0. */
  readonly handlersFor?: (place: number) => Handlers
  /** Classes of errors that keep their class and fields. */
  readonly kinds?: ErrorKinds
  /** Limit of a thread's JavaScript heap; Node's default unless given. Typed arrays do not count. */
  readonly heapMiB?: number | undefined
  /** Limit of the part of the heap for new objects; Node's default of 48 MiB unless given. */
  readonly youngMiB?: number | undefined
  /** Called before the first call of a new thread, for notices with the current state. */
  readonly onStart?: (channel: Channel<Remote>, place: number) => void
  /** Called with the reason when a thread dies. */
  readonly onDeath?: (error: WorkerError, place: number) => void
}

export interface PoolCallOptions extends CallOptions {
  /** The tenant. See schedule.ts. */
  readonly key: string
}

export interface PoolState {
  /** Started threads. */
  readonly threads: number
  /** Threads with calls. */
  readonly busy: number
  /** Calls that wait for a thread. */
  readonly waiting: number
  /** Threads that died since the start. */
  readonly deaths: number
}

/** A thread that has not reacted for this long gets no further calls. */
const STUCK_MS = 50
const SPARE_AFTER_MS = 1000
/** Keys whose thread is remembered. */
const MAX_HOMES = 10_000

/** A place for one thread. */
interface Place<Remote extends Handlers> {
  readonly at: number
  channel: Channel<Remote> | undefined
  worker: Worker | undefined
  /** The key of the running calls. */
  key: string
  calls: number
  used: number
}

interface Waiting<Remote extends Handlers> {
  readonly key: string
  begin(place: Place<Remote>): void
  leave(error: Error): void
}

interface Entered<Remote extends Handlers> {
  readonly channel: Channel<Remote>
  /** Frees the place. */
  readonly onEnd: () => void
}

export class WorkerPool<Remote extends Handlers> {
  readonly name: string
  readonly #options: WorkerPoolOptions<Remote>
  readonly #places: readonly Place<Remote>[]
  readonly #waiting = new Set<Waiting<Remote>>()
  readonly #homes = new Map<string, number>()
  #spareTimer: NodeJS.Timeout | undefined
  #used = 0
  #deaths = 0
  #closed = false

  constructor(options: WorkerPoolOptions<Remote>) {
    this.name = options.name
    this.#options = options
    const place = (at: number) => ({ at, channel: undefined, worker: undefined, key: '', calls: 0, used: 0 })
    this.#places = Array.from({ length: options.size }, (_, at) => place(at))
  }

  get state(): PoolState {
    return {
      threads: this.#places.filter(({ channel }) => channel !== undefined).length,
      busy: this.#places.filter(({ calls }) => calls > 0).length,
      waiting: this.#waiting.size,
      deaths: this.#deaths,
    }
  }

  /** Starts all threads, so that the first calls do not wait for them. */
  warm(): void {
    // A thread of a closed pool would keep the process running.
    if (this.#closed) return
    for (const place of this.#places) this.#channelOf(place)
  }

  /** Starts a thread if all started ones have calls for a while, so that the next key does not wait for it. */
  #startSpare(): void {
    if (this.#spareTimer !== undefined || this.#unstarted() === undefined) return
    this.#spareTimer = setTimeout(() => {
      this.#spareTimer = undefined
      const place = this.#unstarted()
      if (place !== undefined && !this.#closed) this.#channelOf(place)
    }, this.#options.spareAfterMs ?? SPARE_AFTER_MS).unref()
  }

  #stopSpare(): void {
    clearTimeout(this.#spareTimer)
    this.#spareTimer = undefined
  }

  /** A place without a thread; undefined if there is none, or if a started thread has no calls. */
  #unstarted(): Place<Remote> | undefined {
    if (this.#places.some(({ channel, calls }) => channel !== undefined && calls === 0)) return undefined
    return this.#places.find(({ channel }) => channel === undefined)
  }

  /** Rejects with the handler's error, the signal's reason, or WorkerError. */
  async call<Method extends keyof Remote & string>(
    method: Method,
    argument: ArgumentOf<Remote[Method]>,
    options: PoolCallOptions,
  ): Promise<ResultOf<Remote[Method]>> {
    const { channel, onEnd } = await this.#enter(options)
    return await channel.call(method, argument, { ...options, onEnd })
  }

  /** The items of a handler that returns an iterable. Leaving the loop cancels the call. */
  async *stream<Method extends keyof Remote & string>(
    method: Method,
    argument: ArgumentOf<Remote[Method]>,
    options: PoolCallOptions,
  ): AsyncGenerator<ResultOf<Remote[Method]>, void, undefined> {
    const { channel, onEnd } = await this.#enter(options)
    yield* channel.stream(method, argument, { ...options, onEnd })
  }

  /** Calls the handler in every started thread. Threads that start later get their state from `onStart`. */
  broadcast<Method extends keyof Remote & string>(method: Method, argument: ArgumentOf<Remote[Method]>): void {
    for (const { channel } of this.#places) channel?.notify(method, argument)
  }

  /** Calls the handler in one thread, if it is started. */
  notify<Method extends keyof Remote & string>(
    place: number,
    method: Method,
    argument: ArgumentOf<Remote[Method]>,
  ): void {
    this.#places[place].channel?.notify(method, argument)
  }

  /** Ends all threads. Running and waiting calls reject. */
  async close(): Promise<void> {
    this.#closed = true
    this.#stopSpare()
    for (const waiting of this.#waiting) waiting.leave(this.#closedError())
    await Promise.all(this.#places.map(async ({ worker }) => worker?.terminate()))
  }

  /** Waits for a place. The caller must call `onEnd`. */
  #enter({ key, signal, onEnd }: PoolCallOptions): Promise<Entered<Remote>> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(this.#closedError())
      if (signal?.aborted === true) return reject(signal.reason as Error)
      const abort = (): void => waiting.leave(signal!.reason as Error)
      const waiting: Waiting<Remote> = {
        key,
        begin: place => {
          this.#waiting.delete(waiting)
          signal?.removeEventListener('abort', abort)
          const release = (): void => {
            place.calls--
            if (place.calls === 0) this.#stopSpare()
            onEnd?.()
            this.#beginWaiting()
          }
          resolve({ channel: this.#channelOf(place), onEnd: release })
        },
        leave: error => {
          this.#waiting.delete(waiting)
          signal?.removeEventListener('abort', abort)
          reject(error)
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.add(waiting)
      this.#beginWaiting()
    })
  }

  /** Begins every call for which there is a thread, in the order of their arrival. */
  #beginWaiting(): void {
    const refused = new Set<string>()
    for (const waiting of this.#waiting) {
      const { key } = waiting
      if (refused.has(key)) continue
      const place = this.#choose(key)
      if (place === undefined) refused.add(key)
      else {
        place.key = key
        place.calls++
        place.used = ++this.#used
        this.#setHome(key, place.at)
        waiting.begin(place)
        this.#startSpare()
      }
    }
  }

  #choose(key: string): Place<Remote> | undefined {
    const { perThread = 1 } = this.#options
    const stuckBefore = performance.now() - STUCK_MS
    const slots = this.#places.map(({ key: running, calls, used, channel }) => ({
      key: running,
      calls,
      used,
      stuck: (channel?.silentSince ?? Infinity) < stuckBefore,
      isStarted: channel !== undefined,
    }))
    return this.#places[
      chooseSlot(slots, key, { home: this.#homes.get(key) ?? -1, perThread, crowded: this.#isCrowded(key) })
    ]
  }

  /** Whether calls of another key wait, and none of that key runs. */
  #isCrowded(key: string): boolean {
    for (const other of this.#waiting)
      if (other.key !== key && !this.#places.some(place => place.calls > 0 && place.key === other.key)) return true
    return false
  }

  #setHome(key: string, at: number): void {
    // Moves the entry to the end, so that the first entry is the least recently used.
    this.#homes.delete(key)
    this.#homes.set(key, at)
    if (this.#homes.size > MAX_HOMES) this.#homes.delete(this.#homes.keys().next().value!)
  }

  #channelOf(place: Place<Remote>): Channel<Remote> {
    if (place.channel !== undefined) return place.channel
    const { name, entry, data, handlersFor, kinds, heapMiB, youngMiB, onStart, onDeath } = this.#options
    const worker = new Worker(entry, {
      name: `${name} ${place.at}`,
      workerData: data,
      resourceLimits: {
        ...(heapMiB === undefined ? {} : { maxOldGenerationSizeMb: heapMiB }),
        ...(youngMiB === undefined ? {} : { maxYoungGenerationSizeMb: youngMiB }),
      },
    })
    const channel = new Channel<Remote>(worker, handlersFor?.(place.at) ?? {}, kinds)
    let failure: Error | undefined
    worker.on('error', error => (failure = error))
    worker.on('exit', () => {
      const error = this.#closed ? this.#closedError() : deathOf(name, failure)
      place.channel = undefined
      place.worker = undefined
      // Frees the place: each of its calls ends.
      channel.abandon(error)
      if (this.#closed) return
      this.#deaths++
      onDeath?.(error, place.at)
    })
    place.worker = worker
    place.channel = channel
    onStart?.(channel, place.at)
    return channel
  }

  #closedError(): WorkerError {
    return new WorkerError('closed', `the ${this.name} threads are stopped`)
  }
}

function deathOf(name: string, failure: (Error & { readonly code?: string }) | undefined): WorkerError {
  if (failure?.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new WorkerError('memory', `a ${name} thread exceeded its memory limit`, { cause: failure })
  const reason = failure === undefined ? 'ended' : `failed: ${failure.message}`
  return new WorkerError('crashed', `a ${name} thread ${reason}`, failure === undefined ? {} : { cause: failure })
}
