// Captures of the process: of the thread that they are asked of, and of its workers. Those that end meanwhile leave what they
// have recorded; those that are terminated, or too busy to answer, are named in the notes.
import { isMainThread } from 'node:worker_threads'
import type { Worker } from 'node:worker_threads'
import type { Profiles } from '@hearth/profile/recording'
import type { Detail } from '../profiles/build-profiles.ts'
import { buildProfiles } from '../profiles/build-profiles.ts'
import type { CaptureStart, ProfileKind, Recorder } from '../recorder.ts'
import type { Thread, ThreadPart } from '../profiles/thread-part.ts'
import type { CaptureCall, WorkerWord } from './worker-channel.ts'
import { tellWorkers } from './worker-channel.ts'

export interface CaptureRange {
  /** Unix nanoseconds, both ends included. */
  readonly from: bigint
  readonly until: bigint
  readonly kinds: readonly ProfileKind[]
  /** Hex, as spans spell them. */
  readonly traceId?: string | undefined
  readonly spanId?: string | undefined
  /** Only this thread. */
  readonly threadId?: bigint | undefined
}

export interface ProcessCapture {
  /** When this thread records as the capture wants it; workers follow at their next turn. */
  readonly begun: Promise<unknown>
  /** Waits so long for workers. */
  read(range: CaptureRange, workersMillis: number): Promise<Captured>
  end(): void
}

/** What was read. It does not change, and can be told with more or less detail. */
export interface Captured {
  build(detail?: Detail): Profiles | undefined
  /** What is missing, and why. */
  readonly notes: readonly string[]
}

interface KnownWorker {
  readonly number: number
  /** Undefined until its agent has said that it is there. */
  thread: Thread | undefined
  /** Whether its end will be noticed, even if it is terminated. */
  readonly isWatched: boolean
}

/** Of a worker that is gone. `part` is undefined where it could leave nothing. */
interface Ended {
  readonly thread: Thread
  readonly atMicros: number
  readonly part: ThreadPart | undefined
}

interface Reading {
  readonly parts: ThreadPart[]
  /** Those that have not answered. */
  readonly waiting: Set<KnownWorker>
  /** Called when there are none. */
  readonly all: () => void
}

/** The last words of a worker may arrive a moment after the news that it is gone. */
const LAST_WORDS_MILLIS = 100

export class ProcessCaptures {
  readonly #recorder: Recorder
  readonly #ringMicros: number
  readonly #workers = new Map<number, KnownWorker>()
  #ended: readonly Ended[] = []
  readonly #running = new Map<number, CaptureStart>()
  /** By the ids of captures. */
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

  /** Those that can be asked. */
  get threads(): readonly Thread[] {
    return [this.#recorder.thread, ...[...this.#workers.values()].flatMap(({ thread }) => thread ?? [])]
  }

  begin(start: CaptureStart): ProcessCapture {
    const own = this.#recorder.begin(start)
    const id = ++this.#lastId
    this.#running.set(id, start)
    this.#tell({ call: 'begin', id, start })
    return {
      begun: own.begun,
      read: async (range, workersMillis) => {
        const from = microsOf(range.from)
        const until = microsOf(range.until + 999n)
        const parts = this.#readWorkers({ call: 'read', id, start, from, until }, workersMillis)
        const part = await own.read(from, until)
        const { parts: others, notes } = await parts
        return this.#captured(range, part === undefined ? others : [part, ...others], notes)
      },
      end: () => {
        own.end()
        this.#running.delete(id)
        this.#tell({ call: 'end', id })
        this.#forgetEnded()
      },
    }
  }

  heard(said: WorkerWord): void {
    const worker = this.#known(said.worker)
    switch (said.word) {
      case 'here':
        worker.thread = said.thread
        for (const [id, start] of this.#running) this.#tell({ call: 'begin', id, start })
        return
      case 'part':
        this.#answered(worker, said)
        return
      case 'gone':
        this.#gone(worker, said.part)
    }
  }

  #known(number: number): KnownWorker {
    let worker = this.#workers.get(number)
    if (worker === undefined) {
      // Started by another worker, whose thread alone is told of its end.
      worker = { number, thread: undefined, isWatched: false }
      this.#workers.set(number, worker)
    }
    return worker
  }

  readonly #onWorker = (worker: Worker): void => {
    const known: KnownWorker = { number: worker.threadId, thread: undefined, isWatched: true }
    this.#workers.set(known.number, known)
    worker.once('exit', () => setTimeout(() => this.#gone(known, undefined), LAST_WORDS_MILLIS).unref())
  }

  #gone(worker: KnownWorker, part: ThreadPart | undefined): void {
    if (this.#workers.get(worker.number) !== worker) return
    this.#workers.delete(worker.number)
    const { thread } = worker
    if (thread !== undefined) this.#ended = [...this.#ended, { thread, part, atMicros: Date.now() * 1000 }]
    this.#forgetEnded()
    for (const reading of this.#readings.values()) done(reading, worker)
  }

  /** What ended long ago, unless a capture may still ask for it. */
  #forgetEnded(): void {
    const oldest = Date.now() * 1000 - this.#ringMicros
    if (this.#running.size === 0) this.#ended = this.#ended.filter(({ atMicros }) => atMicros >= oldest)
  }

  #answered(worker: KnownWorker, { id, part }: WorkerWord & { readonly word: 'part' }): void {
    worker.thread ??= part?.thread
    const reading = this.#readings.get(id)
    if (reading === undefined) return
    if (part !== undefined) reading.parts.push(part)
    done(reading, worker)
  }

  async #readWorkers(
    call: CaptureCall & { readonly call: 'read' },
    millis: number,
  ): Promise<{ readonly parts: readonly ThreadPart[]; readonly notes: readonly string[] }> {
    const asked = [...this.#workers.values()]
    const waiting = new Set(asked.filter(({ thread }) => thread !== undefined))
    const parts: ThreadPart[] = []
    if (waiting.size > 0) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, millis).unref()
        const all = (): void => {
          clearTimeout(timer)
          resolve()
        }
        this.#readings.set(call.id, { parts, waiting, all })
        this.#tell(call)
      })
      this.#readings.delete(call.id)
    }
    const notes: string[] = []
    const unknown = asked.length - asked.filter(({ thread }) => thread !== undefined).length
    if (unknown > 0)
      notes.push(`${unknown} of ${asked.length} worker threads not recorded: without the agent, or just starting`)
    for (const worker of waiting) {
      notes.push(`${nameOf(worker.thread)} was too busy to answer: what it did is missing`)
      // It may be gone; if not, it is known again when it says something.
      if (!worker.isWatched) this.#workers.delete(worker.number)
    }
    const isHeap = call.start.kinds.some(kind => kind === 'heap' || kind === 'allocations')
    for (const { thread, part, atMicros } of this.#ended) {
      if (atMicros < call.from) continue
      if (!isHeap && part !== undefined) parts.push(part)
      else if (!isHeap) notes.push(`${nameOf(thread)} was terminated: what it did is missing`)
      else if (call.start.kinds.includes('allocations'))
        notes.push(`${nameOf(thread)} ended meanwhile: what it allocated is missing`)
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

  /** Where there are workers. */
  #tell(call: CaptureCall): void {
    if (this.#workers.size > 0) tellWorkers(call)
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
