// Brings committed groups into the engine, in order, several as one when they come quickly, each of their tables in turn.
// What the engine cannot take now is tried again for as long as it takes; what it refuses for good is set aside, so that it
// is neither lost nor in the way.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine, EngineFault } from '../engine.ts'
import { EngineError } from '../engine.ts'
import { RefusedError } from '../keeper.ts'
import type { ApplyRecord } from './apply-record.ts'
import type { CommitEvents, CommitLog, ProblemCode, ProblemList } from './commit-state.ts'
import type { AsideNote, CommittedGroup, Journal } from './journal.ts'
import { messageOf } from './journal-disk.ts'
import type { JournalFile } from './manifest.ts'
import { BrokenGroupError } from './manifest.ts'

export interface RetryTimes {
  readonly firstMs: number
  readonly longestMs: number
  /** For faults that may be the engine's or the rows': after so many tries they are the rows'. */
  readonly tries: number
}

/** With these the tries last about a minute. */
export const RETRY_TIMES: RetryTimes = { firstMs: 100, longestMs: 10_000, tries: 12 }

export interface ApplierOptions {
  readonly engine: Engine
  readonly journal: Pick<
    Journal,
    'remove' | 'setAside' | 'verify' | 'rank' | 'beginTogether' | 'setApart' | 'endTogether'
  >
  /** Milliseconds from the begin of one insert to that of the next, while nobody waits for it. */
  readonly paceMs: number
  /** Inserts survive a power loss before the group leaves the journal. */
  readonly durable: boolean
  readonly retry: RetryTimes
  readonly problems: ProblemList
  readonly log: CommitLog
  readonly events: CommitEvents
  /** Rows are not in the engine though they were committed: symbols among them must be announced again. */
  readonly onSetAside: (kind: 'refused' | 'broken') => void
  readonly onApplied: (bytes: number) => void
  readonly now: () => number
  readonly elapsed: () => number
}

type Outcome = 'applied' | 'refused' | 'broken' | 'stopped'

/** Groups that are applied as one where there is a record, or a single one with its own tokens. */
interface Batch {
  readonly groups: readonly CommittedGroup[]
  record: ApplyRecord | undefined
}

/** What became of a group in the engine. */
class GroupOutcome {
  readonly applied: string[]
  readonly refused: string[] = []
  kind: 'refused' | 'broken' = 'refused'

  constructor(group: CommittedGroup) {
    this.applied = [...group.applied]
  }

  get note(): AsideNote {
    return { reason: this.refused.join('; '), applied: this.applied }
  }
}

/** One insert: a file, or several of one table. */
interface Insert {
  readonly table: string
  readonly token: string
  readonly groups: readonly CommittedGroup[]
}

/** Of one insert, about; more is not faster. */
const MOST_BYTES = 32 * 1024 * 1024
const MOST_GROUPS = 50
/** A fault that may be the rows' is tried again so often before they are sent group by group. */
const TRIES_TOGETHER = 3

const ENGINE_PROBLEMS: readonly ProblemCode[] = ['engine-unavailable', 'engine-disk-full', 'engine-failing']

export class Applier {
  readonly #options: ApplierOptions
  readonly #queue: CommittedGroup[] = []
  readonly #stop = new AbortController()
  #waiters: { readonly number: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  #running: Promise<void> | undefined
  #backlogBytes = 0
  #lastNumber = 0
  #lastError = ''
  /** What the engine says to the insert that is being tried; undefined while it takes rows. */
  #fault: EngineFault | 'unknown' | undefined
  /** What an earlier run was applying as one. */
  #unfinished: ApplyRecord | undefined
  #begun = -Infinity
  #wake: () => void = () => {}
  #hurry = false

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

  /** Milliseconds since 1970 at which the oldest group was committed. */
  get oldestCommitted(): number | undefined {
    return this.#queue.at(0)?.committed
  }

  /** To be called before the first push: those of its groups that are left come first. */
  resume(record: ApplyRecord | undefined): void {
    this.#unfinished = record
  }

  push(group: CommittedGroup): void {
    this.#queue.push(group)
    this.#backlogBytes += group.bytes
    this.#lastNumber = group.number
    if (this.#backlogBytes >= MOST_BYTES) this.#wake()
    if (this.#stop.signal.aborted) return
    this.#running ??= this.#run()
  }

  /** When everything committed before the call is in the engine, or set aside. Rejects when the queue is closed first. */
  settled(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve()
    const number = this.#lastNumber
    this.#wake()
    return new Promise((resolve, reject) => this.#waiters.push({ number, resolve, reject }))
  }

  /** Goes on for at most `milliseconds`; what is left stays in the journal. True when nothing is. */
  async stop(milliseconds: number): Promise<boolean> {
    const clock = new AbortController()
    this.#hurry = true
    this.#wake()
    if (this.#running !== undefined)
      await Promise.race([this.#running, sleep(milliseconds, undefined, { signal: clock.signal }).catch(() => {})])
    clock.abort()
    this.#stop.abort()
    const closed = new RefusedError('shutting-down', 1, 'the store was closed before all rows were applied')
    for (const waiter of this.#waiters.splice(0)) waiter.reject(closed)
    return this.#queue.length === 0
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 && !this.#stop.signal.aborted) {
      await this.#rest()
      if (this.#stop.signal.aborted) break
      this.#begun = this.#options.elapsed()
      const batch = await this.#nextBatch()
      if (!(await this.#apply(batch))) break
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

  /** Lets groups gather, unless it has been quiet, there are many, or somebody waits. */
  async #rest(): Promise<void> {
    const { paceMs, elapsed } = this.#options
    const milliseconds = this.#begun + paceMs - elapsed()
    const now = this.#hurry || this.#waiters.length > 0 || this.#backlogBytes >= MOST_BYTES
    if (milliseconds <= 0 || now) return
    const clock = new AbortController()
    this.#wake = () => clock.abort()
    await sleep(milliseconds, undefined, { signal: clock.signal }).catch(() => {})
    this.#wake = () => {}
  }

  async #nextBatch(): Promise<Batch> {
    const record = this.#unfinished
    this.#unfinished = undefined
    if (record !== undefined) return { groups: this.#queue.slice(0, record.groups.length), record }
    const groups = this.#groupsTogether()
    if (groups.length === 1) return { groups, record: undefined }
    try {
      return { groups, record: await this.#options.journal.beginTogether(groups) }
    } catch {
      // A full disk, mostly: one by one they need no record, and make room.
      return { groups: groups.slice(0, 1), record: undefined }
    }
  }

  /** From the head of the queue, at least one. */
  #groupsTogether(): readonly CommittedGroup[] {
    const [first] = this.#queue
    let bytes = first.bytes
    let count = 1
    const columns = new Map<string, string>()
    if (first.alone || !haveSameColumns(first, columns)) return [first]
    for (; count < Math.min(this.#queue.length, MOST_GROUPS); count++) {
      const group = this.#queue[count]
      bytes += group.bytes
      if (bytes > MOST_BYTES || group.alone || !haveSameColumns(group, columns)) break
    }
    return this.#queue.slice(0, count)
  }

  /** False when it was stopped before the groups were out of the journal. */
  async #apply(batch: Batch): Promise<boolean> {
    const { events, now, elapsed } = this.#options
    const { groups } = batch
    const outcomes = new Map(groups.map(group => [group, new GroupOutcome(group)]))
    const rows = new Map<string, number>()
    const begun = elapsed()
    for (const table of this.#tablesOf(groups)) {
      if (!(await this.#applyTable(batch, table, outcomes))) return false
      for (const [group, { applied }] of outcomes)
        if (applied.includes(table)) rows.set(table, (rows.get(table) ?? 0) + (fileOf(group, table)?.rows ?? 0))
    }
    // Stopped means that the journal may be another process's by now.
    if (this.#stop.signal.aborted) return false
    if (!(await this.#leaveJournal(batch, outcomes))) return false
    const bytes = groups.reduce((sum, group) => sum + group.bytes, 0)
    const lagSeconds = Math.max(0, now() - groups[0].committed) / 1000
    events.applied?.({ bytes, rows, insertSeconds: (elapsed() - begun) / 1000, lagSeconds })
    return true
  }

  /** In order of insertion: what others refer to first. */
  #tablesOf(groups: readonly CommittedGroup[]): readonly string[] {
    const { journal } = this.#options
    const tables = new Set(groups.flatMap(group => group.files.map(file => file.table)))
    return [...tables].sort((a, b) => journal.rank(a) - journal.rank(b))
  }

  /** False when it was stopped. */
  async #applyTable(
    batch: Batch,
    table: string,
    outcomes: ReadonlyMap<CommittedGroup, GroupOutcome>,
  ): Promise<boolean> {
    const groups = batch.groups.filter(
      group => fileOf(group, table) !== undefined && outcomes.get(group)?.applied.includes(table) !== true,
    )
    const { record } = batch
    if (record !== undefined && !record.apart.includes(table)) {
      const { outcome } = await this.#insert({ table, token: `${record.token}-${table}`, groups })
      if (outcome === 'stopped') return false
      if (outcome === 'applied') {
        for (const group of groups) outcomes.get(group)?.applied.push(table)
        return true
      }
      if (!(await this.#persist(async () => (batch.record = await this.#options.journal.setApart(record, table)))))
        return false
    }
    for (const group of groups) {
      const { outcome, reason } = await this.#insert({
        table,
        token: fileOf(group, table)?.token ?? '',
        groups: [group],
      })
      if (outcome === 'stopped') return false
      const of = outcomes.get(group)
      if (outcome === 'applied') of?.applied.push(table)
      else {
        // The other tables go in all the same: one bad row must not hide what came beside it.
        if (of !== undefined && outcome === 'broken') of.kind = 'broken'
        of?.refused.push(`${table}: ${reason}`)
      }
    }
    return true
  }

  async #insert({ table, token, groups }: Insert): Promise<{ outcome: Outcome; reason: string }> {
    const { engine, durable, retry, events } = this.#options
    const [file, ...more] = groups.map(group => `${group.directory}/${fileOf(group, table)?.file}`)
    const source = { file, more, columns: fileOf(groups[0], table)?.columns ?? [] }
    const tries = groups.length > 1 ? TRIES_TOGETHER : retry.tries
    for (let attempt = 1; ; attempt++) {
      if (this.#stop.signal.aborted) return { outcome: 'stopped', reason: '' }
      try {
        await engine.insert(table, source, { token, sync: durable })
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
        const hopeless = fault === 'refused' || (mayBeTheRows(error) && attempt >= tries)
        if (hopeless) {
          this.#recovered()
          return { outcome: 'refused', reason }
        }
        this.#failing(table, fault, reason)
        await this.#pause(Math.min(retry.longestMs, retry.firstMs * 2 ** Math.min(attempt - 1, 20)))
      }
    }
  }

  /** Removes what is in the engine and sets the rest aside. False when it was stopped before. */
  async #leaveJournal(
    { groups, record }: Batch,
    outcomes: ReadonlyMap<CommittedGroup, GroupOutcome>,
  ): Promise<boolean> {
    const { journal, events, onSetAside, log } = this.#options
    const asides = new Map(
      [...outcomes]
        .filter(([, { refused }]) => refused.length > 0)
        .map(([group, { kind, note }]) => [group, [kind, note]] as const),
    )
    if (record !== undefined) {
      if (!(await this.#persist(() => journal.endTogether(groups, asides)))) return false
    } else if (asides.size === 0) {
      await journal.remove(groups[0]).catch((error: unknown) => {
        // At the next start it is applied again, and the tokens keep its rows from doubling.
        log.warn({ directory: groups[0].directory, error: messageOf(error) }, 'an applied group cannot be removed')
      })
    } else
      for (const [group, [kind, note]] of asides)
        if (!(await this.#persist(() => journal.setAside(group, kind, note)))) return false
    for (const [kind] of asides.values()) {
      events.setAside?.(kind)
      onSetAside(kind)
    }
    return true
  }

  /** A step of the journal, tried until it is done. False when it was stopped before. */
  async #persist(step: () => Promise<unknown>): Promise<boolean> {
    for (;;) {
      try {
        await step()
        this.#recovered()
        return true
      } catch (error) {
        this.#failing('', 'unknown', `the journal cannot be changed: ${messageOf(error)}`)
        await this.#pause(this.#options.retry.longestMs)
        if (this.#stop.signal.aborted) return false
      }
    }
  }

  /** Why the group's files are not what was written; empty when they are. */
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
      log.warn({ table, fault, error: reason }, 'the engine does not take rows: they wait in the journal')
  }

  #recovered(): void {
    const { problems, log } = this.#options
    if (this.#fault === undefined) return
    this.#fault = undefined
    this.#lastError = ''
    for (const code of ENGINE_PROBLEMS) problems.clear(code)
    log.info({ backlogGroups: this.#queue.length }, 'the engine takes rows again')
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stop.signal }).catch(() => {})
  }
}

function fileOf(group: CommittedGroup, table: string): JournalFile | undefined {
  return group.files.find(file => file.table === table)
}

/** Whether the group's files have the columns that are known of their tables; those not known yet are added. */
function haveSameColumns(group: CommittedGroup, known: Map<string, string>): boolean {
  return group.files.every(({ table, columns }) => {
    const text = columns.join()
    if (!known.has(table)) known.set(table, text)
    return known.get(table) === text
  })
}

/** What the engine says when it cannot read a Native block; it has the same words for its own files. */
const UNREADABLE = new Set([27, 32, 33])

/**
 * Limits, errors of no known kind and unreadable rows may pass, or may not. What else is corrupt are the engine's own data:
 * every group would meet that, so that waiting is better than setting all of them aside.
 */
function mayBeTheRows(error: unknown): boolean {
  if (!(error instanceof EngineError)) return true
  return error.fault === 'limit' || (error.fault === 'corrupt' && UNREADABLE.has(error.code))
}

function problemOf(fault: EngineFault | 'unknown'): ProblemCode {
  if (fault === 'unavailable') return 'engine-unavailable'
  return fault === 'disk-full' ? 'engine-disk-full' : 'engine-failing'
}
