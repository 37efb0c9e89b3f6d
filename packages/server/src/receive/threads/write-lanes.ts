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
import type { SentBody, Written } from './content-writer.ts'
import { Refusal, busy, tooLarge } from '../refusal.ts'
import type { Writer, WriterRequest, WriterResult } from './writer.ts'
import type { HeldContent, HeldRequest, WriteHandlers, WriteThreadData } from './write-thread.ts'
import { isTooLarge, ownBytes } from './write-thread.ts'

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
/**
 * The part of the heap for new objects in the thread for small requests. Bodies are outside of the heap, but V8 counts them. With
 * the default of 48 MiB, V8 often collected the complete heap every 150 requests, and with this limit every 280.
 */
const SMALL_YOUNG_MIB = 9

export class WriteLanes implements Writer {
  readonly #options: WriteLanesOptions
  readonly #small: Lane
  readonly #large: readonly Lane[]

  constructor(options: WriteLanesOptions) {
    const { maxBody } = options
    this.#options = options
    const returnsLarge = maxBody > SMALL_BYTES
    this.#small = new Lane('small requests', {
      ...options,
      returnsLarge,
      maxBody: Math.min(maxBody, SMALL_BYTES),
      youngMiB: SMALL_YOUNG_MIB,
    })
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
    const { content, contentEncoding, tenant } = request
    const sent: SentBody = { content, contentEncoding, body: ownBytes(request.body) }
    const result = sent.body.length <= SMALL_BYTES ? await this.#writeSmall(request, sent) : sent
    if (!('content' in result)) return result
    return await this.#largeLane(tenant).run(tenant, async lane => {
      const number = lane.nextNumber()
      const inspected = await lane.inspect(number, result)
      if (inspected instanceof Uint8Array) throw new Error('a thread for large requests returned a body')
      return await this.#keep(lane, number, inspected, request)
    })
  }

  /** Returns the content if it turns out to be large. */
  async #writeSmall(request: WriterRequest, sent: SentBody): Promise<WriterResult | SentBody> {
    const lane = this.#small
    const number = lane.nextNumber()
    const inspected = await lane.inspect(number, sent)
    if (inspected instanceof Uint8Array) return { ...sent, body: inspected }
    const decompressed = async (): Promise<SentBody> => ({
      ...sent,
      contentEncoding: '',
      body: await lane.giveBack(number),
    })
    if (inspected.memory > SMALL_MEMORY) return await decompressed()
    try {
      return await this.#keep(lane, number, inspected, request)
    } catch (error) {
      // A file in the content may be compressed, and is too large for this thread after decompression.
      if (!lane.keeps(error)) throw error
      return await decompressed()
    }
  }

  async #keep(lane: Lane, number: number, held: HeldContent, request: WriterRequest): Promise<WriterResult> {
    const { store } = this.#options
    const { tenant, client, id = held.id, bytes = held.bytes } = request
    const writing: HeldRequest = { number, client, tenant, id, bytes }
    const admitted = this.#admit(lane, number, held)
    try {
      const kept = await store.keepRows(lane.groups, writing, context => lane.add(writing, context))
      if (kept !== 'duplicate') return { ...kept, bytes, isDuplicate: false }
      return { ...(await lane.check(writing)), bytes, isDuplicate: true }
    } catch (error) {
      if (!lane.keeps(error)) lane.drop(number)
      throw error
    } finally {
      admitted.release()
    }
  }

  #admit(lane: Lane, number: number, { bytes, memory }: HeldContent): { release(): void } {
    try {
      return this.#options.admission.admitDecoding(bytes + memory)
    } catch (error) {
      lane.drop(number)
      throw error
    }
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
  readonly #returnsLarge: boolean
  /** The number of requests by tenant. */
  readonly #tenants = new Map<string, number>()
  #watched: unknown
  #numbers = 0

  constructor(name: string, options: WriteLanesOptions & { readonly youngMiB?: number }) {
    const { entry, store, maxBody, maxAttributes, maxMemory, returnsLarge = false, redaction, onDeath } = options
    this.#returnsLarge = returnsLarge
    const data: WriteThreadData = { maxBody, maxAttributes, maxMemory, returnsLarge, redaction }
    this.#pool = new WorkerPool<WriteHandlers>({
      name,
      entry,
      size: 1,
      // The thread has a queue of its own: the rows of a request wait for the commit outside of it.
      perThread: Infinity,
      data,
      youngMiB: options.youngMiB,
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

  /** A number for a content that the thread keeps. */
  nextNumber(): number {
    return ++this.#numbers
  }

  /** Moves the content to the thread, which keeps it unless this fails. Returns the body if it is large. */
  inspect(number: number, sent: SentBody): Promise<HeldContent | Uint8Array> {
    return this.#call('inspect', { number, ...sent }, [sent.body.buffer as ArrayBuffer])
  }

  /** The thread keeps the content until then. */
  add(request: HeldRequest, context: RowContext): Promise<Written> {
    return this.#call('add', { request, context })
  }

  check(request: HeldRequest): Promise<Written> {
    return this.#call('check', request)
  }

  /** Whether the thread keeps a content after this error, so that it can be given back. */
  keeps(error: unknown): boolean {
    return this.#returnsLarge && isTooLarge(error)
  }

  giveBack(number: number): Promise<Uint8Array> {
    return this.#call('giveBack', number)
  }

  drop(number: number): void {
    this.#pool.broadcast('drop', number)
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

  #call<Method extends keyof WriteHandlers>(
    method: Method,
    argument: ArgumentOf<WriteHandlers[Method]>,
    transfer: readonly ArrayBuffer[] = [],
  ) {
    return this.#pool.call(method, argument, { key: 'write', transfer })
  }
}
