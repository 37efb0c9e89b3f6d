// Inserts committed groups into the engine, in order and table by table. Groups that arrive quickly are inserted together.
// Temporary failures are retried without limit. Groups that the engine rejects for good are quarantined, so that they are
// neither lost nor block others.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CatalogDelta } from '../catalog-delta.ts'
import type { Engine, EngineFault, RequestKey } from '../engine.ts'
import { EngineError } from '../engine.ts'
import { RefusedError } from '../keeper.ts'
import type { ApplyRecord } from './apply-record.ts'
import type { CommitEvents, CommitLog, ProblemCode, ProblemList } from './commit-state.ts'
import type { CommittedGroup, Journal } from './journal.ts'
import type { QuarantineNote } from './quarantine-note.ts'
import { messageOf } from './journal-disk.ts'
import type { JournalFile } from './manifest.ts'
import { BrokenGroupError } from './manifest.ts'
import type { OtherCopies } from './other-copies.ts'
import { storedRequests } from './stored-requests.ts'

export interface RetryTimes {
  readonly firstMs: number
  readonly maxMs: number
  /** Faults caused by either the engine or the rows are blamed on the rows after this many attempts. */
  readonly tries: number
}

/** The attempts take about a minute. */
export const RETRY_TIMES: RetryTimes = { firstMs: 100, maxMs: 10_000, tries: 12 }

export interface ApplierOptions {
  readonly engine: Engine
  readonly journal: Pick<
    Journal,
    'remove' | 'quarantine' | 'verify' | 'rank' | 'beginTogether' | 'insertSeparately' | 'endTogether'
  >
  /** Minimum milliseconds between the starts of two inserts, while no caller waits. */
  readonly paceMs: number
  /** Inserts survive a power loss before the group leaves the journal. */
  readonly durable: boolean
  /** Undefined if no other server inserts into the store. */
  readonly copies?: Pick<OtherCopies, 'storedElsewhere' | 'removeLater'> | undefined
  readonly retry: RetryTimes
  readonly problems: ProblemList
  readonly log: CommitLog
  readonly events: CommitEvents
  /** Called when committed rows are not in the engine. Their symbols must be written again. */
  readonly onQuarantine: (kind: 'refused' | 'broken') => void
  readonly onApplied: (bytes: number) => void
  /** Called when the rows of a group are visible to queries. Undefined if the changes are not known. */
  readonly onVisible: (delta: CatalogDelta | undefined) => void
  readonly now: () => number
  readonly elapsed: () => number
}

type Outcome = 'applied' | 'refused' | 'broken' | 'stopped'

/** Groups that are inserted together under a record, or a single group with its own tokens. */
interface Batch {
  readonly groups: readonly CommittedGroup[]
  record: ApplyRecord | undefined
  /** Requests of which another server has stored a copy. */
  skipped: readonly RequestKey[]
}

/** The result of inserting a group. */
class GroupOutcome {
  readonly applied: string[]
  readonly refused: string[] = []
  kind: 'refused' | 'broken' = 'refused'

  constructor(group: CommittedGroup) {
    this.applied = [...group.applied]
  }

  get note(): QuarantineNote {
    return { reason: this.refused.join('; '), applied: this.applied }
  }
}

/** One insert of one or several files of a table. */
interface Insert {
  readonly table: string
  readonly token: string
  readonly groups: readonly CommittedGroup[]
  readonly skipped: readonly RequestKey[]
}

/** Approximate limit of one insert. Larger inserts are not faster. */
const MAX_BYTES = 32 * 1024 * 1024
const MAX_GROUPS = 50
/** After this many attempts, rows that may be at fault are inserted group by group. */
const TRIES_TOGETHER = 3
/** The limit for changes of groups that wait. The others are read from the store when they are needed. */
const MAX_DELTA_BYTES = 32 * 1024 * 1024

const ENGINE_PROBLEMS: readonly ProblemCode[] = ['engine-unavailable', 'engine-disk-full', 'engine-failing']

export class Applier {
  readonly #options: ApplierOptions
  readonly #queue: CommittedGroup[] = []
  readonly #stop = new AbortController()
  #waiters: { readonly number: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  #running: Promise<void> | undefined
  #backlogBytes = 0
  readonly #deltas = new Map<CommittedGroup, CatalogDelta>()
  #deltaBytes = 0
  #lastNumber = 0
  #lastError = ''
  /** The fault of the current insert. Undefined while inserts succeed. */
  #fault: EngineFault | 'unknown' | undefined
  /** Groups that an earlier run was inserting together. */
  #unfinished: ApplyRecord | undefined
  #begun = -Infinity
  #wake: () => void = () => {}
  #closing = false
  /** Ends when the last insert or exclusive task ends. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: ApplierOptions) {
    this.#options = options
  }

  get backlogBytes(): number {
    return this.#backlogBytes
  }

  get backlogGroups(): number {
    return this.#queue.length
  }

  get lastError(): string {
    return this.#lastError
  }

  get fault(): EngineFault | 'unknown' | undefined {
    return this.#fault
  }

  /** Unix milliseconds of the oldest group's commit. */
  get oldestCommitted(): number | undefined {
    return this.#queue.at(0)?.committed
  }

  /** Unix milliseconds of the first request that is not in the engine. */
  get oldestReceived(): number | undefined {
    if (this.#queue.length === 0) return undefined
    return this.#queue.reduce((first, { receivedFrom }) => Math.min(first, receivedFrom), Infinity)
  }

  /** Call before the first push. Remaining groups of the record come first. */
  resume(record: ApplyRecord | undefined): void {
    this.#unfinished = record
  }

  /** Groups of an earlier run have no delta. */
  push(group: CommittedGroup, delta?: CatalogDelta): void {
    this.#queue.push(group)
    const bytes = deltaBytes(delta)
    if (delta !== undefined && this.#deltaBytes + bytes <= MAX_DELTA_BYTES) {
      this.#deltas.set(group, delta)
      this.#deltaBytes += bytes
    }
    this.#backlogBytes += group.bytes
    this.#lastNumber = group.number
    if (this.#backlogBytes >= MAX_BYTES) this.#wake()
    if (this.#stop.signal.aborted) return
    this.#running ??= this.#run()
  }

  /**
   * Resolves when everything committed before the call is in the engine or quarantined. Rejects if the queue is closed first.
   */
  settled(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve()
    const number = this.#lastNumber
    this.#wake()
    return new Promise((resolve, reject) => this.#waiters.push({ number, resolve, reject }))
  }

  /** Runs a task while no rows are inserted. */
  exclusively<Result>(task: () => Promise<Result>): Promise<Result> {
    const running = this.#turn.then(task)
    this.#turn = running.catch(() => {})
    return running
  }

  /** Continues for at most `milliseconds`. The rest stays in the journal. Returns true if nothing is left. */
  async stop(milliseconds: number): Promise<boolean> {
    const clock = new AbortController()
    this.#closing = true
    this.#wake()
    if (this.#running !== undefined)
      await Promise.race([this.#running, sleep(milliseconds, undefined, { signal: clock.signal }).catch(() => {})])
    clock.abort()
    this.#stop.abort()
    const closed = new RefusedError('shutting-down', 1, 'the store was closed before all rows were inserted')
    for (const waiter of this.#waiters.splice(0)) waiter.reject(closed)
    return this.#queue.length === 0
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 && !this.#stop.signal.aborted) {
      await this.#rest()
      if (this.#stop.signal.aborted) break
      this.#begun = this.#options.elapsed()
      const batch = await this.#nextBatch()
      if (!(await this.exclusively(() => this.#apply(batch)))) break
      this.#queue.splice(0, batch.groups.length)
      const bytes = batch.groups.reduce((sum, group) => sum + group.bytes, 0)
      this.#backlogBytes -= bytes
      this.#options.onApplied(bytes)
      const last = batch.groups[batch.groups.length - 1].number
      this.#waiters = this.#waiters.filter(waiter => {
        const waits = waiter.number > last
        if (!waits) waiter.resolve()
        return waits
      })
    }
    this.#running = undefined
  }

  /** Waits for more groups, unless the last insert is long ago, there are many groups, or a caller waits. */
  async #rest(): Promise<void> {
    const { paceMs, elapsed } = this.#options
    const milliseconds = this.#begun + paceMs - elapsed()
    const now = this.#closing || this.#waiters.length > 0 || this.#backlogBytes >= MAX_BYTES
    if (milliseconds <= 0 || now) return
    const clock = new AbortController()
    this.#wake = () => clock.abort()
    await sleep(milliseconds, undefined, { signal: clock.signal }).catch(() => {})
    this.#wake = () => {}
  }

  async #nextBatch(): Promise<Batch> {
    const record = this.#unfinished
    this.#unfinished = undefined
    if (record !== undefined) return { groups: this.#queue.slice(0, record.groups.length), record, skipped: [] }
    const groups = this.#groupsTogether()
    if (groups.length === 1) return { groups, record: undefined, skipped: [] }
    try {
      return { groups, record: await this.#options.journal.beginTogether(groups), skipped: [] }
    } catch {
      // Usually a full disk. Single groups need no record and free space.
      return { groups: groups.slice(0, 1), record: undefined, skipped: [] }
    }
  }

  /** Takes at least one group from the head of the queue. */
  #groupsTogether(): readonly CommittedGroup[] {
    const [first] = this.#queue
    let bytes = first.bytes
    let count = 1
    const columns = new Map<string, string>()
    if (first.alone || !haveSameColumns(first, columns)) return [first]
    for (; count < Math.min(this.#queue.length, MAX_GROUPS); count++) {
      const group = this.#queue[count]
      bytes += group.bytes
      if (bytes > MAX_BYTES || group.alone || !haveSameColumns(group, columns)) break
    }
    return this.#queue.slice(0, count)
  }

  /** Returns false if stopped before the groups have left the journal. */
  async #apply(batch: Batch): Promise<boolean> {
    const { events, copies, now, elapsed } = this.#options
    const { groups } = batch
    const requests = copies === undefined ? [] : groups.flatMap(({ contained }) => contained)
    if (!(await this.#persist(async () => (batch.skipped = (await copies?.storedElsewhere(requests)) ?? []))))
      return false
    const outcomes = new Map(groups.map(group => [group, new GroupOutcome(group)]))
    const rows = new Map<string, number>()
    const begun = elapsed()
    for (const table of this.#tablesOf(groups)) {
      if (!(await this.#applyTable(batch, table, outcomes))) return false
      for (const [group, { applied }] of outcomes)
        if (applied.includes(table)) rows.set(table, (rows.get(table) ?? 0) + (fileOf(group, table)?.rows ?? 0))
    }
    if (copies !== undefined && !(await this.#persist(() => copies.removeLater(requests)))) return false
    for (const [group, { refused }] of outcomes) this.#showVisible(group, refused.length > 0)
    // After a stop, another process may own the journal.
    if (this.#stop.signal.aborted) return false
    if (!(await this.#leaveJournal(batch, outcomes))) return false
    const bytes = groups.reduce((sum, group) => sum + group.bytes, 0)
    const lagSeconds = Math.max(0, now() - groups[0].committed) / 1000
    events.applied?.({ bytes, rows, insertSeconds: (elapsed() - begun) / 1000, lagSeconds })
    return true
  }

  #showVisible(group: CommittedGroup, isPartial: boolean): void {
    const delta = this.#deltas.get(group)
    this.#deltas.delete(group)
    this.#deltaBytes -= deltaBytes(delta)
    this.#options.onVisible(isPartial ? undefined : delta)
  }

  /** In order of insertion: referenced tables first. */
  #tablesOf(groups: readonly CommittedGroup[]): readonly string[] {
    const { journal } = this.#options
    const tables = new Set(groups.flatMap(group => group.files.map(file => file.table)))
    return [...tables].sort((a, b) => journal.rank(a) - journal.rank(b))
  }

  /** Returns false if stopped. */
  async #applyTable(
    batch: Batch,
    table: string,
    outcomes: ReadonlyMap<CommittedGroup, GroupOutcome>,
  ): Promise<boolean> {
    const groups = batch.groups.filter(
      group => fileOf(group, table) !== undefined && outcomes.get(group)?.applied.includes(table) !== true,
    )
    const { record, skipped } = batch
    if (record !== undefined && !record.apart.includes(table)) {
      const { outcome } = await this.#insert({ table, token: `${record.token}-${table}`, groups, skipped })
      if (outcome === 'stopped') return false
      if (outcome === 'applied') {
        for (const group of groups) outcomes.get(group)?.applied.push(table)
        return true
      }
      if (
        !(await this.#persist(async () => (batch.record = await this.#options.journal.insertSeparately(record, table))))
      )
        return false
    }
    for (const group of groups) {
      const { outcome, reason } = await this.#insert({
        table,
        token: fileOf(group, table)?.token ?? '',
        groups: [group],
        skipped,
      })
      if (outcome === 'stopped') return false
      const of = outcomes.get(group)
      if (outcome === 'applied') of?.applied.push(table)
      else {
        // Insert the other tables anyway: one bad row must not hide the rest of the group.
        if (of !== undefined && outcome === 'broken') of.kind = 'broken'
        of?.refused.push(`${table}: ${reason}`)
      }
    }
    return true
  }

  async #insert({ table, token, groups, skipped }: Insert): Promise<{ outcome: Outcome; reason: string }> {
    const { engine, durable, retry, events } = this.#options
    const [file, ...more] = groups.map(group => `${group.directory}/${fileOf(group, table)?.file}`)
    const columns = fileOf(groups[0], table)?.columns ?? []
    // Symbols have no request. The engine keeps one of equal symbols.
    const hasRequests = columns.includes('request')
    const earlier = hasRequests ? groups.flatMap(({ requests }) => requests ?? []) : []
    const tries = groups.length > 1 ? TRIES_TOGETHER : retry.tries
    for (let attempt = 1; ; attempt++) {
      if (this.#stop.signal.aborted) return { outcome: 'stopped', reason: '' }
      try {
        const except = [...(await storedRequests(engine, table, earlier)), ...(hasRequests ? skipped : [])]
        await engine.insert(table, { file, more, columns, except }, { token, sync: durable })
        this.#recovered()
        return { outcome: 'applied', reason: '' }
      } catch (error) {
        const fault = error instanceof EngineError ? error.fault : 'unknown'
        const reason = messageOf(error)
        events.insertFailed?.(table, fault)
        if (this.#stop.signal.aborted) return { outcome: 'stopped', reason }
        for (const group of groups) {
          const broken = await this.#brokenReason(group)
          if (broken !== '') return { outcome: 'broken', reason: broken }
        }
        const isFinal = fault === 'refused' || (mayBeTheRows(error) && attempt >= tries)
        if (isFinal) {
          this.#recovered()
          return { outcome: 'refused', reason }
        }
        this.#failing(table, fault, reason)
        await this.#pause(Math.min(retry.maxMs, retry.firstMs * 2 ** Math.min(attempt - 1, 20)))
      }
    }
  }

  /** Removes inserted groups and quarantines the others. Returns false if stopped before. */
  async #leaveJournal(
    { groups, record }: Batch,
    outcomes: ReadonlyMap<CommittedGroup, GroupOutcome>,
  ): Promise<boolean> {
    const { journal, events, onQuarantine, log } = this.#options
    const quarantined = new Map(
      [...outcomes]
        .filter(([, { refused }]) => refused.length > 0)
        .map(([group, { kind, note }]) => [group, [kind, note]] as const),
    )
    if (record !== undefined) {
      if (!(await this.#persist(() => journal.endTogether(groups, quarantined)))) return false
    } else if (quarantined.size === 0) {
      await journal.remove(groups[0]).catch((error: unknown) => {
        // The next start inserts it again, and the tokens prevent duplicate rows.
        log.warn({ directory: groups[0].directory, error: messageOf(error) }, 'cannot remove an inserted group')
      })
    } else
      for (const [group, [kind, note]] of quarantined)
        if (!(await this.#persist(() => journal.quarantine(group, kind, note)))) return false
    for (const [kind] of quarantined.values()) {
      events.quarantine?.(kind)
      onQuarantine(kind)
    }
    return true
  }

  /** Retries a step of the journal or a query until it succeeds. Returns false if stopped before. */
  async #persist(step: () => Promise<unknown>): Promise<boolean> {
    for (;;) {
      try {
        await step()
        this.#recovered()
        return true
      } catch (error) {
        const isEngine = error instanceof EngineError
        const reason = isEngine ? error.message : `cannot change the journal: ${messageOf(error)}`
        this.#failing('', isEngine ? error.fault : 'unknown', reason)
        await this.#pause(this.#options.retry.maxMs)
        if (this.#stop.signal.aborted) return false
      }
    }
  }

  /** Returns how the group's files are damaged, or an empty string. */
  async #brokenReason(group: CommittedGroup): Promise<string> {
    try {
      await this.#options.journal.verify(group)
      return ''
    } catch (error) {
      return error instanceof BrokenGroupError ? error.message : ''
    }
  }

  #failing(table: string, fault: EngineFault | 'unknown', reason: string): void {
    const { problems, log } = this.#options
    this.#fault = fault
    this.#lastError = reason
    const code = problemOf(fault)
    for (const other of ENGINE_PROBLEMS) if (other !== code) problems.clear(other)
    if (problems.raise(code, reason))
      log.warn({ table, fault, error: reason }, 'cannot insert into the store; rows wait in the journal')
  }

  #recovered(): void {
    const { problems, log } = this.#options
    if (this.#fault === undefined) return
    this.#fault = undefined
    this.#lastError = ''
    for (const code of ENGINE_PROBLEMS) problems.clear(code)
    log.info({ backlogGroups: this.#queue.length }, 'inserts into the store succeed again')
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stop.signal }).catch(() => {})
  }
}

function deltaBytes(delta: CatalogDelta | undefined): number {
  let bytes = 0
  for (const block of delta?.values() ?? []) bytes += block.length
  return bytes
}

function fileOf(group: CommittedGroup, table: string): JournalFile | undefined {
  return group.files.find(file => file.table === table)
}

/** Whether the group's files have the known columns of their tables. Adds unknown tables. */
function haveSameColumns(group: CommittedGroup, known: Map<string, string>): boolean {
  return group.files.every(({ table, columns }) => {
    const text = columns.join()
    if (!known.has(table)) known.set(table, text)
    return known.get(table) === text
  })
}

/** Error codes for an unreadable Native block. The engine uses them for its own files, too. */
const UNREADABLE = new Set([27, 32, 33])

/**
 * Limits, unknown errors and unreadable rows may be temporary or not. Other corruption concerns the engine's own data and
 * would affect every group, so waiting is better than quarantining all groups.
 */
function mayBeTheRows(error: unknown): boolean {
  if (!(error instanceof EngineError)) return true
  return error.fault === 'limit' || (error.fault === 'corrupt' && UNREADABLE.has(error.code))
}

function problemOf(fault: EngineFault | 'unknown'): ProblemCode {
  if (fault === 'unavailable') return 'engine-unavailable'
  return fault === 'disk-full' ? 'engine-disk-full' : 'engine-failing'
}
