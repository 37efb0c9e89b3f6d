// The way of a request to rows in the engine: reject or accept it, detect duplicates, commit it to the journal in a group, and
// insert the group. The parts do not know each other and are connected here.
import { performance } from 'node:perf_hooks'
import type { CatalogDelta } from '../catalog-delta.ts'
import type { Engine } from '../engine.ts'
import type { RowContext } from '../group-rows.ts'
import type { Keeper, ReceivedRequest, RefusalReason } from '../keeper.ts'
import { RefusedError } from '../keeper.ts'
import type { TableDefinition } from '../native/table.ts'
import type { RetryTimes } from './applier.ts'
import { Applier, RETRY_TIMES } from './applier.ts'
import type { CommitEvents, CommitLog, CommitState } from './commit-state.ts'
import { ProblemList } from './commit-state.ts'
import type { DirectoryLock } from './directory-lock.ts'
import { lockDirectory } from './directory-lock.ts'
import type { RowWriter } from '../row-group.ts'
import { RowGroup } from '../row-group.ts'
import type { AddedRows, GroupCommitted } from './group-commit.ts'
import { GroupCommit } from './group-commit.ts'
import type { CommittedGroup } from './journal.ts'
import { Journal } from './journal.ts'
import type { JournalDisk } from './journal-disk.ts'
import { messageOf, realDisk } from './journal-disk.ts'
import type { OtherCopies } from './other-copies.ts'
import type { Load, PressureLimits } from './pressure.ts'
import { Pressure } from './pressure.ts'
import type { RecentLimits } from './recent-requests.ts'
import { RecentRequests, requestKey, selectRecent } from './recent-requests.ts'
import type { RowSource } from './row-source.ts'

export interface CommitLimits extends PressureLimits {
  /** A group is closed early when its rows reach this size, or this number of requests. */
  readonly groupBytes: number
  readonly groupRequests: number
  /** A group is also closed early when it has this number of requests and no other group is being written. */
  readonly enoughRequests: number
  /** How long, and for how many requests at most, duplicates are detected. */
  readonly recentMinutes: number
  readonly recentRequests: number
}

const MIB = 1024 * 1024

export const COMMIT_LIMITS: CommitLimits = {
  memoryBytes: 256 * MIB,
  backlogBytes: 1024 * MIB,
  backlogGroups: 20_000,
  groupBytes: 32 * MIB,
  groupRequests: 10_000,
  // A sender that keeps 128 requests in flight gets at most 1,280 a second if each group stays open for 100 ms.
  enoughRequests: 64,
  recentMinutes: 15,
  recentRequests: 300_000,
}

/**
 * Under load the groups of this many windows are inserted together. Five inserts with the rows of a tenth of a second each
 * take three times the CPU of one insert, and leave five times the parts to merge.
 */
const APPLY_EVERY_WINDOWS = 5

export interface CommitQueueOptions {
  readonly dataDirectory: string
  /** The identity of the data directory, for stores that several servers share. */
  readonly server?: string
  readonly engine: Engine
  /** All tables in order of insertion: referenced tables first. */
  readonly tables: readonly Pick<TableDefinition, 'name'>[]
  /** Milliseconds that a group stays open. Default: 100. With 0, each request is committed alone. */
  readonly window?: number
  /** Acknowledged requests survive a power loss, too. */
  readonly durable?: boolean
  readonly limits?: Partial<CommitLimits>
  /** Writes the rows of requests that this thread decoded. */
  readonly write: RowWriter
  /** Calls SymbolLedger.forgetAll: no announced symbol counts as stored any more. */
  readonly forget: () => void
  /** Undefined if no other server inserts into the store. */
  readonly copies?: OtherCopies | undefined
  readonly log: CommitLog
  readonly events?: CommitEvents
  /** Called when the rows of a group are visible to queries. Undefined if the changes are not known. */
  readonly onVisible?: (delta: CatalogDelta | undefined) => void
}

/** Dependencies that tests replace. */
export interface CommitQueueParts {
  readonly disk: JournalDisk
  readonly lock: (directory: string, log: CommitLog) => Promise<DirectoryLock>
  /** Unix milliseconds. */
  readonly now: () => number
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number
  readonly retry: RetryTimes
  readonly diskCheckMs: number
}

const REAL_PARTS: CommitQueueParts = {
  disk: realDisk,
  lock: lockDirectory,
  now: Date.now,
  elapsed: () => performance.now(),
  retry: RETRY_TIMES,
  diskCheckMs: 1000,
}

/** Locks the journal and starts to insert the groups of an earlier run. The engine must have its tables already. */
export async function openCommitQueue(
  options: CommitQueueOptions,
  parts: Partial<CommitQueueParts> = {},
): Promise<CommitQueue> {
  const all = { ...REAL_PARTS, ...parts }
  const journal = await Journal.prepare({
    dataDirectory: options.dataDirectory,
    durable: options.durable ?? false,
    disk: all.disk,
    log: options.log,
    now: all.now,
    server: options.server ?? '',
    tableOrder: options.tables.map(table => table.name),
  })
  const lock = await all.lock(journal.directory, options.log)
  try {
    const queue = new CommitQueue(options, all, journal, lock)
    await queue.start()
    return queue
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The part of a request that is known without its content. */
export type RequestHead = Pick<ReceivedRequest, 'tenant' | 'id' | 'bytes'>

export class CommitQueue implements Keeper {
  readonly #options: CommitQueueOptions
  readonly #parts: CommitQueueParts
  readonly #limits: CommitLimits
  readonly #journal: Journal
  readonly #lock: DirectoryLock
  readonly #problems: ProblemList
  readonly #recent: RecentRequests
  readonly #pressure: Pressure
  /** The rows of requests that this thread decoded. */
  readonly #rows: RowGroup
  readonly #own: GroupCommit
  readonly #lanes: { readonly source: RowSource; readonly groups: GroupCommit }[] = []
  readonly #applier: Applier
  #diskTimer: NodeJS.Timeout | undefined
  #loadTimer: NodeJS.Timeout | undefined
  #closing: Promise<boolean> | undefined
  /** Whether the journal was compared with the store. */
  #counted = false
  #lastReceived = 0n
  #inFlightBytes = 0
  #inFlightRequests = 0
  #commits = 0
  #kept = 0
  #duplicates = 0
  readonly #refused: Record<RefusalReason, number> = {
    'queue-full': 0,
    'disk-full': 0,
    'store-lost': 0,
    'rows-lost': 0,
    'shutting-down': 0,
  }
  /** The reason of the last failed commit. Undefined after a successful one. */
  #failure: RefusedError | undefined

  /** For openCommitQueue. */
  constructor(options: CommitQueueOptions, parts: CommitQueueParts, journal: Journal, lock: DirectoryLock) {
    this.#options = options
    this.#parts = parts
    this.#journal = journal
    this.#lock = lock
    const { now, elapsed } = parts
    const limits = (this.#limits = { ...COMMIT_LIMITS, ...options.limits })
    const problems = (this.#problems = new ProblemList(now))
    this.#recent = new RecentRequests(this.#recentLimits, now)
    this.#pressure = new Pressure(limits, elapsed)
    this.#applier = new Applier({
      engine: options.engine,
      journal,
      durable: options.durable ?? false,
      copies: options.copies,
      retry: parts.retry,
      paceMs: (options.window ?? 100) * APPLY_EVERY_WINDOWS,
      problems,
      log: options.log,
      events: options.events ?? {},
      onQuarantine: () => {
        void this.forget()
        this.#reportQuarantined()
      },
      onVisible: delta => options.onVisible?.(delta),
      onApplied: bytes => this.#pressure.backlogRate.add(bytes),
      now,
      elapsed,
    })
    this.#rows = new RowGroup(options.write, options.forget)
    this.#own = this.addLane(this.#rows)
  }

  /** A lane commits the rows of one source, independently of the other lanes. */
  addLane(source: RowSource): GroupCommit {
    const { groupBytes, groupRequests, enoughRequests } = this.#limits
    const groups = new GroupCommit({
      window: this.#options.window ?? 100,
      groupBytes,
      groupRequests,
      enoughRequests,
      source,
      journal: this.#journal,
      onCommitted: (group, commit) => this.#committed(group, commit),
      onFailed: error => this.#commitFailed(error),
      elapsed: this.#parts.elapsed,
    })
    this.#lanes.push({ source, groups })
    return groups
  }

  /** For openCommitQueue. */
  async start(): Promise<void> {
    const { left, applying } = await this.#journal.takeLeft()
    this.#reportQuarantined()
    const requests = left.flatMap(group => group.requests)
    this.#recent.load(requests.map(({ tenant, id, received }) => ({ tenant, id: Buffer.from(id, 'hex'), received })))
    await this.#checkDisk()
    await this.#askEngine()
    this.#applier.resume(applying)
    for (const { group } of left) this.#applier.push(group)
    if (left.length > 0) this.#showUnapplied(left.length)
    this.#diskTimer = setInterval(() => void this.#checkDisk(), this.#parts.diskCheckMs).unref()
  }

  /** Until the groups of an earlier run are inserted, queries miss acknowledged requests. */
  #showUnapplied(groups: number): void {
    this.#problems.raise('journal-unapplied', `${groups} groups of an earlier run are not in the store yet`)
    // Rejects if the queue is closed before.
    void this.#applier.settled().then(
      () => this.#problems.clear('journal-unapplied'),
      () => undefined,
    )
  }

  async keep(request: ReceivedRequest): Promise<'kept' | 'duplicate'> {
    const add = async (context: RowContext) => ({ rowBytes: this.#rows.add(context, request) })
    const kept = await this.keepRows(this.#own, request, add)
    return kept === 'duplicate' ? kept : 'kept'
  }

  /** The same for a request whose rows `add` adds to the source of the lane. */
  async keepRows<Added extends AddedRows>(
    lane: GroupCommit,
    request: RequestHead,
    add: (context: RowContext) => Promise<Added>,
  ): Promise<Added | 'duplicate'> {
    const key = requestKey(request.tenant, request.id)
    // Check for duplicates first, because they need no room.
    if (this.#recent.isCommitted(key)) return this.#duplicate()
    const same = this.#recent.inFlight(key)
    if (same !== undefined) return same.then(() => this.#duplicate())
    const refusal = this.#refusal(request.bytes)
    if (refusal !== undefined) throw this.#countRefused(refusal)
    return this.#keep(key, lane, request, add)
  }

  /** Commits the open groups now. */
  async flush(): Promise<void> {
    await Promise.all(this.#lanes.map(({ groups }) => groups.flush()))
  }

  /** The administrator has seen lasting problems of the journal. Returns whether there were some. */
  async problemsSeen(): Promise<boolean> {
    this.#problems.clear('journal-lost')
    await this.#journal.recountQuarantined()
    this.#reportQuarantined()
    return this.#journal.counter.seen()
  }

  /** Resolves when no announced symbol counts as stored any more. */
  async forget(): Promise<void> {
    await Promise.all(this.#lanes.map(({ source }) => source.forget()))
  }

  /** Runs a task while no rows are inserted into the engine. */
  exclusively<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#applier.exclusively(task)
  }

  /** Resolves when everything acknowledged before the call is visible to queries. */
  settled(): Promise<void> {
    return this.#applier.settled()
  }

  /** The time in nanoseconds before which everything received is visible to queries, and to which nothing is added. */
  visibleBefore(): bigint {
    const parts = [this.#applier, ...this.#lanes.map(({ groups }) => groups)]
    const pending = Math.min(...parts.map(({ oldestReceived }) => oldestReceived ?? Infinity))
    const time = BigInt(Math.floor(Math.min(pending, this.#parts.now()))) * 1_000_000n
    // The next request is not received before this time, even if the clock is set back.
    if (time > this.#lastReceived) this.#lastReceived = time - 1n
    return time
  }

  /**
   * Rejects further requests, commits the open group, and inserts for up to `milliseconds`. The rest is inserted at the
   * next start. Returns true if nothing is left. The engine stays open.
   */
  close(milliseconds = 10_000): Promise<boolean> {
    return (this.#closing ??= this.#close(milliseconds))
  }

  state(): CommitState {
    const { quarantinedGroups, quarantinedBytes } = this.#journal
    const oldest = this.#applier.oldestCommitted
    this.#pressure.update(this.#load())
    this.#showPressure()
    return {
      ready: !this.#problems.blocking,
      problems: this.#problems.list(),
      backlogBytes: this.#applier.backlogBytes,
      backlogGroups: this.#applier.backlogGroups,
      oldestUnappliedSeconds: oldest === undefined ? 0 : Math.max(0, this.#parts.now() - oldest) / 1000,
      inFlightBytes: this.#inFlightBytes,
      inFlightRequests: this.#inFlightRequests,
      commits: this.#commits,
      kept: this.#kept,
      duplicates: this.#duplicates,
      refused: { ...this.#refused },
      lastEngineError: this.#applier.lastError,
      freeDiskBytes: this.#pressure.freeBytes,
      quarantinedGroups: quarantinedGroups.refused + quarantinedGroups.broken,
      quarantinedBytes: quarantinedBytes.refused + quarantinedBytes.broken,
    }
  }

  async #keep<Added extends AddedRows>(
    key: string,
    lane: GroupCommit,
    request: RequestHead,
    add: (context: RowContext) => Promise<Added>,
  ): Promise<Added> {
    const context = this.#context(request)
    const { tenant } = request
    const id = Buffer.from(request.id).toString('hex')
    const received = Number(context.received / 1_000_000n)
    const { added, committed } = lane.add({ tenant, id, received }, () => add(context))
    let charge = request.bytes
    this.#inFlightBytes += charge
    this.#inFlightRequests++
    this.#recent.begin(key, committed)
    try {
      const rows = await added
      charge += rows.rowBytes
      this.#inFlightBytes += rows.rowBytes
      await committed
      this.#kept++
      return rows
    } catch (error) {
      throw error instanceof RefusedError ? this.#countRefused(error) : error
    } finally {
      this.#inFlightBytes -= charge
      this.#inFlightRequests--
      this.#pressure.memoryRate.add(charge)
    }
  }

  #refusal(bytes: number): RefusedError | undefined {
    if (this.#closing !== undefined) return new RefusedError('shutting-down', 5, 'the server is shutting down')
    if (this.#problems.has('recent-requests-unknown'))
      return new RefusedError('store-lost', 5, 'the store has not responded since the start')
    if (this.#failure !== undefined) return new RefusedError(this.#failure.reason, 5, this.#failure.message)
    if (this.#journal.quarantinedBytes.refused > this.#limits.backlogBytes)
      return new RefusedError('store-lost', 30, 'the store rejects rows, and the space for rejected groups is full')
    const refusal = this.#pressure.refusal(bytes, this.#load())
    this.#showPressure()
    return refusal
  }

  #load(): Load {
    return {
      inFlightBytes: this.#inFlightBytes,
      backlogBytes: this.#applier.backlogBytes + this.#lanes.reduce((sum, { groups }) => sum + groups.bytes, 0),
      backlogGroups: this.#applier.backlogGroups,
      engineFault: this.#applier.fault,
    }
  }

  #context(request: RequestHead): RowContext {
    // Never the same twice, so that requests keep their order.
    const now = BigInt(Math.floor(this.#parts.now())) * 1_000_000n
    const received = now > this.#lastReceived ? now : this.#lastReceived + 1n
    this.#lastReceived = received
    return { tenant: request.tenant, request: request.id, received, day: Number(received / 86_400_000_000_000n) }
  }

  #committed(group: CommittedGroup, { requests, writeMs, waitMs, delta }: GroupCommitted): void {
    this.#commits++
    this.#pressure.addWritten(group.bytes)
    this.#options.events?.committed?.({
      bytes: group.bytes,
      requests,
      writeSeconds: writeMs / 1000,
      waitSeconds: waitMs / 1000,
    })
    this.#applier.push(group, delta)
  }

  #commitFailed(error: RefusedError): void {
    this.#failure = error
    const cause = messageOf(error.cause)
    if (this.#problems.raise('journal-write-failed', cause))
      this.#options.log.error({ error: cause }, 'cannot write the journal; requests are rejected')
  }

  /** Tests the journal with a small file. While requests are rejected, no commit would show that it works again. */
  async #tryJournal(): Promise<void> {
    if (this.#failure === undefined || this.#pressure.isClosed('disk')) return
    try {
      await this.#journal.tryWriting()
    } catch {
      return
    }
    this.#failure = undefined
    this.#problems.clear('journal-write-failed')
    this.#options.log.info({}, 'the journal is writable again')
  }

  #duplicate(): 'duplicate' {
    this.#duplicates++
    this.#options.events?.duplicate?.()
    return 'duplicate'
  }

  #countRefused(error: RefusedError): RefusedError {
    this.#refused[error.reason]++
    this.#options.events?.refused?.(error.reason)
    return error
  }

  get #recentLimits(): RecentLimits {
    return { milliseconds: this.#limits.recentMinutes * 60_000, requests: this.#limits.recentRequests }
  }

  /** Notices a journal that was deleted or replaced since it was used last. */
  async #compareCounter(): Promise<void> {
    if (this.#counted) return
    const { counter } = this.#journal
    const loss = await counter.compare(this.#options.engine)
    this.#counted = true
    if (loss !== undefined) this.#options.log.error({ problem: 'journal-lost' }, loss)
    if (counter.lost.length > 0) this.#problems.raise('journal-lost', counter.lost.join('; '))
  }

  /**
   * Compares the journal with the store, and loads recent request ids. Requests are rejected until they are known, because a
   * retry could be stored twice.
   */
  async #askEngine(): Promise<void> {
    const { engine, log } = this.#options
    try {
      await this.#compareCounter()
      if (this.#limits.recentMinutes > 0)
        this.#recent.load(await selectRecent(engine, this.#recentLimits, this.#parts.now()))
      if (this.#problems.clear('recent-requests-unknown')) log.info({}, 'the store responds; requests are accepted')
    } catch (error) {
      if (this.#problems.raise('recent-requests-unknown', messageOf(error)))
        log.warn({ error: messageOf(error) }, 'cannot read recent requests from the store; requests are rejected')
      if (this.#closing !== undefined) return
      this.#loadTimer = setTimeout(() => void this.#askEngine(), Math.min(1000, this.#parts.retry.maxMs)).unref()
    }
  }

  async #checkDisk(): Promise<void> {
    try {
      this.#pressure.setSpace(await this.#parts.disk.space(this.#journal.directory))
    } catch (error) {
      this.#options.log.warn({ error: messageOf(error) }, 'cannot read the free disk space')
    }
    this.#pressure.update(this.#load())
    this.#showPressure()
    await this.#tryJournal()
  }

  #showPressure(): void {
    const pressure = this.#pressure
    this.#show('disk-low', pressure.isClosed('disk'), `the disk is almost full (${pressure.freeBytes} bytes free)`)
    this.#show('backlog-full', pressure.isClosed('backlog'), `${this.#applier.backlogBytes} bytes wait in the journal`)
    this.#show('memory-full', pressure.isClosed('memory'), `${this.#inFlightBytes} bytes wait for a commit`)
  }

  #show(code: 'disk-low' | 'backlog-full' | 'memory-full', on: boolean, message: string): void {
    const { log } = this.#options
    if (on ? !this.#problems.raise(code, message) : !this.#problems.clear(code)) return
    if (on) log.warn({ problem: code }, `${message}; requests are rejected`)
    else log.info({ problem: code }, 'requests are accepted again')
  }

  #reportQuarantined(): void {
    for (const kind of ['refused', 'broken'] as const) {
      const count = this.#journal.quarantinedGroups[kind]
      if (count > 0) this.#problems.raise(`groups-${kind}`, `${count} in journal/${kind}`)
      else this.#problems.clear(`groups-${kind}`)
    }
  }

  async #close(milliseconds: number): Promise<boolean> {
    this.#problems.raise('shutting-down', 'the server is shutting down')
    clearInterval(this.#diskTimer)
    clearTimeout(this.#loadTimer)
    const until = this.#parts.elapsed() + milliseconds
    await this.flush()
    const empty = await this.#applier.stop(Math.max(0, until - this.#parts.elapsed()))
    if (!empty) {
      const { backlogGroups, backlogBytes } = this.#applier
      this.#options.log.info(
        { backlogGroups, backlogBytes },
        'closed; the rest of the journal is inserted at the next start',
      )
    } else await this.#journal.counter.close().catch(() => undefined)
    await this.#lock.release()
    return empty
  }
}
