// Captures of the process: of this thread and of its workers. Workers that end meanwhile leave their samples. Workers that are
// terminated, or too busy to respond, are named in the notes.
import { isMainThread } from 'node:worker_threads'
import type { Worker } from 'node:worker_threads'
import type { Profiles } from '@hearth/profile/recording'
import type { Detail } from '../profiles/build-profiles.ts'
import { buildProfiles } from '../profiles/build-profiles.ts'
import type { CaptureStart, Recorder } from '../recorder.ts'
import type { ProfileKind } from '../recorder-options.ts'
import type { Thread, ThreadPart } from '../profiles/thread-part.ts'
import { agentThreads } from './agent-threads.ts'
import type { CaptureMessage, WorkerMessage } from './worker-channel.ts'
import { sendToWorkers } from './worker-channel.ts'

export interface CaptureRange {
  /** Unix nanoseconds, both ends included. */
  readonly from: bigint
  readonly until: bigint
  readonly kinds: readonly ProfileKind[]
  /** Hexadecimal, as in spans. */
  readonly traceId?: string | undefined
  readonly spanId?: string | undefined
  /** Only this thread. */
  readonly threadId?: bigint | undefined
}

export interface ProcessCapture {
  /** Resolves when this thread is set up for the capture. Workers follow at their next event loop turn. */
  readonly begun: Promise<unknown>
  /** Waits at most `workersMillis` for workers. */
  read(range: CaptureRange, workersMillis: number): Promise<Captured>
  end(): void
}

/** The captured samples. They do not change, and can be built with more or less detail. */
export interface Captured {
  build(detail?: Detail): Profiles | undefined
  /** Explain which samples are missing, and why. */
  readonly notes: readonly string[]
}

interface KnownWorker {
  readonly number: number
  /** Undefined until its agent has registered. */
  thread: Thread | undefined
  /** True if its end is noticed even if it is terminated. */
  readonly isWatched: boolean
}

/** A worker that has ended. `part` is undefined if it left no samples. */
interface EndedWorker {
  readonly thread: Thread
  readonly atMicros: number
  readonly part: ThreadPart | undefined
}

interface Reading {
  readonly parts: ThreadPart[]
  /** The workers that have not responded. */
  readonly waiting: Set<KnownWorker>
  /** Called when all have responded. */
  readonly all: () => void
}

/** The last message of a worker may arrive shortly after its 'exit' event. */
const LAST_MESSAGE_MILLIS = 100

export class ProcessCaptures {
  readonly #recorder: Recorder
  readonly #ringMicros: number
  readonly #workers = new Map<number, KnownWorker>()
  #ended: readonly EndedWorker[] = []
  readonly #running = new Map<number, CaptureStart>()
  /** Keyed by the ids of captures. */
  readonly #readings = new Map<number, Reading>()
  #lastId = 0

  constructor(recorder: Recorder, ringSeconds: number) {
    this.#recorder = recorder
    this.#ringMicros = ringSeconds * 1e6
    if (isMainThread) process.on('worker', this.#onWorker)
  }

  close(): void {
    process.off('worker', this.#onWorker)
  }

  /** The threads that can be captured. */
  get threads(): readonly Thread[] {
    return [this.#recorder.thread, ...[...this.#workers.values()].flatMap(({ thread }) => thread ?? [])]
  }

  begin(start: CaptureStart): ProcessCapture {
    const own = this.#recorder.begin(start)
    const id = ++this.#lastId
    this.#running.set(id, start)
    this.#send({ kind: 'begin', id, start })
    return {
      begun: own.begun,
      read: async (range, workersMillis) => {
        const from = microsOf(range.from)
        const until = microsOf(range.until + 999n)
        const parts = this.#readWorkers({ kind: 'read', id, start, from, until }, workersMillis)
        const part = await own.read(from, until)
        const { parts: others, notes } = await parts
        return this.#captured(range, part === undefined ? others : [part, ...others], notes)
      },
      end: () => {
        own.end()
        this.#running.delete(id)
        this.#send({ kind: 'end', id })
        this.#forgetEnded()
      },
    }
  }

  receive(message: WorkerMessage): void {
    const worker = this.#known(message.worker)
    switch (message.kind) {
      case 'started':
        worker.thread = message.thread
        for (const [id, start] of this.#running) this.#send({ kind: 'begin', id, start })
        return
      case 'part':
        this.#addPart(worker, message)
        return
      case 'ended':
        this.#gone(worker, message.part)
    }
  }

  #known(number: number): KnownWorker {
    let worker = this.#workers.get(number)
    if (worker === undefined) {
      // Another worker started this one, and only that thread sees its end.
      worker = { number, thread: undefined, isWatched: false }
      this.#workers.set(number, worker)
    }
    return worker
  }

  readonly #onWorker = (worker: Worker): void => {
    if (agentThreads.has(worker)) return
    const known: KnownWorker = { number: worker.threadId, thread: undefined, isWatched: true }
    this.#workers.set(known.number, known)
    worker.once('exit', () => setTimeout(() => this.#gone(known, undefined), LAST_MESSAGE_MILLIS).unref())
  }

  #gone(worker: KnownWorker, part: ThreadPart | undefined): void {
    if (this.#workers.get(worker.number) !== worker) return
    this.#workers.delete(worker.number)
    const { thread } = worker
    if (thread !== undefined) this.#ended = [...this.#ended, { thread, part, atMicros: Date.now() * 1000 }]
    this.#forgetEnded()
    for (const reading of this.#readings.values()) done(reading, worker)
  }

  /** Drops what ended long ago, unless a capture may still need it. */
  #forgetEnded(): void {
    const oldest = Date.now() * 1000 - this.#ringMicros
    if (this.#running.size === 0) this.#ended = this.#ended.filter(({ atMicros }) => atMicros >= oldest)
  }

  #addPart(worker: KnownWorker, { id, part }: WorkerMessage & { readonly kind: 'part' }): void {
    worker.thread ??= part?.thread
    const reading = this.#readings.get(id)
    if (reading === undefined) return
    if (part !== undefined) reading.parts.push(part)
    done(reading, worker)
  }

  async #readWorkers(
    message: CaptureMessage & { readonly kind: 'read' },
    millis: number,
  ): Promise<{ readonly parts: readonly ThreadPart[]; readonly notes: readonly string[] }> {
    const workers = [...this.#workers.values()]
    const waiting = new Set(workers.filter(({ thread }) => thread !== undefined))
    const parts: ThreadPart[] = []
    if (waiting.size > 0) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, millis).unref()
        const all = (): void => {
          clearTimeout(timer)
          resolve()
        }
        this.#readings.set(message.id, { parts, waiting, all })
        this.#send(message)
      })
      this.#readings.delete(message.id)
    }
    const notes: string[] = []
    const unknown = workers.length - workers.filter(({ thread }) => thread !== undefined).length
    if (unknown > 0)
      notes.push(
        `${unknown} of ${workers.length} worker threads are not recorded: they run without the agent or are just starting`,
      )
    for (const worker of waiting) {
      notes.push(`${nameOf(worker.thread)} was too busy to respond: its samples are missing`)
      // It may have ended. If not, it registers again with its next message.
      if (!worker.isWatched) this.#workers.delete(worker.number)
    }
    const isHeap = message.start.kinds.some(kind => kind === 'heap' || kind === 'allocations')
    for (const { thread, part, atMicros } of this.#ended) {
      if (atMicros < message.from) continue
      if (!isHeap && part !== undefined) parts.push(part)
      else if (!isHeap) notes.push(`${nameOf(thread)} was terminated: its samples are missing`)
      else if (message.start.kinds.includes('allocations'))
        notes.push(`${nameOf(thread)} ended meanwhile: its allocations are missing`)
    }
    return { parts, notes }
  }

  #captured(range: CaptureRange, all: readonly ThreadPart[], notes: readonly string[]): Captured {
    const { kinds, traceId, spanId, threadId } = range
    const parts = all.filter(({ thread }) => threadId === undefined || thread.id === threadId)
    const oldest = Math.min(...parts.map(part => part.from))
    const from = Math.max(microsOf(range.from), Number.isFinite(oldest) ? oldest : 0)
    const until = Math.max(from, Math.min(microsOf(range.until + 999n), Date.now() * 1000))
    return {
      build: (detail = {}) =>
        buildProfiles({ ...detail, kinds, from, until, traceId, spanId, parts }, this.#recorder.origin),
      notes,
    }
  }

  /** Sends a message to the workers, if there are any. */
  #send(message: CaptureMessage): void {
    if (this.#workers.size > 0) sendToWorkers(message)
  }
}

function done({ waiting, all }: Reading, worker: KnownWorker): void {
  if (waiting.delete(worker) && waiting.size === 0) all()
}

function microsOf(nanos: bigint): number {
  return Number(nanos / 1000n)
}

function nameOf(thread: Thread | undefined): string {
  return thread === undefined ? 'a worker' : `${thread.name} (thread ${thread.id})`
}
