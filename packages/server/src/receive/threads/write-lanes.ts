// Hands requests to threads: one for small requests, and two for large ones, which never delay the small ones. A request is
// small until its size, or the memory that its content takes, shows that it is large. Large requests of one tenant run one after
// another in one thread, so that those of another tenant have the other thread.
import type { AddedRows, GroupCommit } from '../../store/commit/group-commit.ts'
import type { TakenRows } from '../../store/commit/group-file.ts'
import type { RequestHead } from '../../store/commit/commit-queue.ts'
import type { RowSource } from '../../store/commit/row-source.ts'
import type { RowContext } from '../../store/group-rows.ts'
import type { ArgumentOf } from '../../workers/channel.ts'
import { WorkerError } from '../../workers/worker-error.ts'
import { WorkerPool } from '../../workers/worker-pool.ts'
import type { Admission } from '../admission.ts'
import type { Inspected, SentBody, WriteRequest, Written } from './content-writer.ts'
import { Refusal, busy, tooLarge } from '../refusal.ts'
import type { Writer, WriterRequest, WriterResult } from './writer.ts'
import type { WriteHandlers, WriteThreadData } from './write-thread.ts'
import { ownBytes } from './write-thread.ts'

export interface WriteLanesOptions extends WriteThreadData {
  /** The file that calls writeHandlers. */
  readonly entry: URL
  readonly store: LaneStore
  readonly admission: Admission
  /** Called when a thread died. */
  readonly onDeath: (error: WorkerError) => void
}

/** The part of the store that commits rows of other threads. */
export interface LaneStore {
  addLane(source: RowSource): GroupCommit
  keepRows<Added extends AddedRows>(
    lane: GroupCommit,
    request: RequestHead,
    add: (context: RowContext) => Promise<Added>,
  ): Promise<Added | 'duplicate'>
}

/** A body that is larger after decompression is large: reading 1 MiB takes about 10 ms. */
const SMALL_BYTES = 2 ** 20
/** So is a content that takes more memory: 4 MiB are 9,000 empty log records, which take about 30 ms. */
const SMALL_MEMORY = 4 * 2 ** 20
const LARGE_LANES = 2

export class WriteLanes implements Writer {
  readonly #options: WriteLanesOptions
  readonly #small: Lane
  readonly #large: readonly Lane[]

  constructor(options: WriteLanesOptions) {
    const { maxBody } = options
    this.#options = options
    this.#small = new Lane('small requests', { ...options, maxBody: Math.min(maxBody, SMALL_BYTES) })
    this.#large = Array.from({ length: LARGE_LANES }, () => new Lane('large requests', options))
    // The threads for large requests start when they are needed: that takes less time than one large request.
    this.#small.warm()
  }

  /** Replaces what the observers of all threads look for. */
  watch(state: unknown): void {
    for (const lane of [this.#small, ...this.#large]) lane.watch(state)
  }

  async write(request: WriterRequest): Promise<WriterResult> {
    try {
      return await this.#write(request)
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error
      // The content itself may be the reason, so that a retry would end the next thread.
      if (error.fault === 'memory') throw tooLarge(this.#options.maxBody, 'the request takes too much memory')
      throw busy('rows-lost', `${error.message}; retry in 1 s`, 1)
    }
  }

  /** Ends the threads. Close the store first, which takes their rows. */
  async close(): Promise<void> {
    await Promise.all([this.#small, ...this.#large].map(lane => lane.close()))
  }

  async #write(request: WriterRequest): Promise<WriterResult> {
    const { content, contentEncoding, client, tenant } = request
    const isSmall = request.body.length <= SMALL_BYTES
    const sent: SentBody = { content, contentEncoding, body: ownBytes(request.body) }
    const inspected = await this.#inSmallOr(isSmall, tenant, lane => lane.inspect(sent))
    const { body, memory } = inspected
    const { id = inspected.id, bytes = body.length } = request
    const admitted = this.#options.admission.admitDecoding(body.length + memory)
    const writing: WriteRequest = { content, body, client, tenant, id, bytes }
    try {
      return await this.#inSmallOr(body.length <= SMALL_BYTES && memory <= SMALL_MEMORY, tenant, lane =>
        this.#keep(lane, writing),
      )
    } finally {
      admitted.release()
    }
  }

  async #keep(lane: Lane, request: WriteRequest): Promise<WriterResult> {
    const { store } = this.#options
    const kept = await store.keepRows(lane.groups, request, context => lane.add(request, context))
    const { bytes } = request
    if (kept !== 'duplicate') return { ...kept, bytes, isDuplicate: false }
    return { ...(await lane.check(request)), bytes, isDuplicate: true }
  }

  /** Runs `work` in the small lane, and in a large one if the content turns out to be too large for it. */
  async #inSmallOr<Result>(isSmall: boolean, tenant: string, work: (lane: Lane) => Promise<Result>): Promise<Result> {
    if (isSmall) {
      try {
        return await work(this.#small)
      } catch (error) {
        if (!(error instanceof Refusal) || error.http !== 413 || this.#options.maxBody <= SMALL_BYTES) throw error
      }
    }
    return await this.#largeLane(tenant).run(tenant, work)
  }

  /** The lane that has requests of the tenant, or else the one with the fewest. */
  #largeLane(tenant: string): Lane {
    const [first, ...others] = this.#large
    return (
      this.#large.find(lane => lane.hasRequestsOf(tenant)) ??
      others.reduce((best, lane) => (lane.requests < best.requests ? lane : best), first)
    )
  }
}

/** One thread, and the groups of its rows. */
class Lane implements RowSource {
  readonly groups: GroupCommit
  readonly #pool: WorkerPool<WriteHandlers>
  readonly #isSmall: boolean
  /** The number of requests by tenant. */
  readonly #tenants = new Map<string, number>()
  #watched: unknown

  constructor(name: string, options: WriteLanesOptions) {
    const { entry, store, maxBody, maxAttributes, maxMemory, redaction, onDeath } = options
    this.#isSmall = maxBody <= SMALL_BYTES
    const data: WriteThreadData = { maxBody, maxAttributes, maxMemory, redaction }
    this.#pool = new WorkerPool<WriteHandlers>({
      name,
      entry,
      size: 1,
      // The thread has a queue of its own: the rows of a request wait for the commit outside of it.
      perThread: Infinity,
      data,
      kinds: [Refusal],
      onStart: channel => {
        if (this.#watched !== undefined) channel.notify('watch', this.#watched)
      },
      onDeath: error => {
        this.groups.lost(error)
        onDeath(error)
      },
    })
    this.groups = store.addLane(this)
  }

  warm(): void {
    this.#pool.warm()
  }

  /** The number of running requests, those that wait for their commit included. */
  get requests(): number {
    let sum = 0
    for (const count of this.#tenants.values()) sum += count
    return sum
  }

  hasRequestsOf(tenant: string): boolean {
    return this.#tenants.has(tenant)
  }

  /** Counts the request of the tenant while `work` runs. */
  async run<Result>(tenant: string, work: (lane: Lane) => Promise<Result>): Promise<Result> {
    this.#count(tenant, 1)
    try {
      return await work(this)
    } finally {
      this.#count(tenant, -1)
    }
  }

  #count(tenant: string, change: number): void {
    const count = (this.#tenants.get(tenant) ?? 0) + change
    if (count === 0) this.#tenants.delete(tenant)
    else this.#tenants.set(tenant, count)
  }

  watch(state: unknown): void {
    this.#watched = state
    this.#pool.broadcast('watch', state)
  }

  inspect(sent: SentBody): Promise<Inspected> {
    return this.#call('inspect', sent, sent.body)
  }

  add(request: WriteRequest, context: RowContext): Promise<Written> {
    return this.#call('add', { request, context }, request.body)
  }

  check(request: WriteRequest): Promise<Written> {
    return this.#call('check', request, request.body)
  }

  take(): Promise<TakenRows> {
    return this.#call('take', undefined)
  }

  discard(): void {
    // If the thread dies first, its rows are gone.
    this.#call('discard', undefined).catch(() => {})
  }

  async forget(): Promise<void> {
    await this.#call('forget', undefined)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  /** Small bodies are copied, so that the caller can try the large lane. Large ones move. */
  #call<Method extends keyof WriteHandlers>(
    method: Method,
    argument: ArgumentOf<WriteHandlers[Method]>,
    body?: Uint8Array,
  ) {
    const transfer = body === undefined || this.#isSmall ? [] : [body.buffer as ArrayBuffer]
    return this.#pool.call(method, argument, { key: 'write', transfer })
  }
}
