// Deletes data that exceeds its age or size limit, per tenant and signal, and symbols that no row refers to. Whole days are
// dropped as partitions, which frees the disk at once. Only the oldest remaining day may be cut. An interruption is safe:
// every step stands alone, and the next run does the rest.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../engine.ts'
import { storedName, onCluster } from '../schema/ddl.ts'
import type { Layout } from '../schema/ddl.ts'
import { symbolTables } from '../schema/all-tables.ts'
import { quoteName, quoteText } from '../sql-text.ts'
import type { CommitLog } from '../commit/commit-state.ts'
import type { Partition } from './partitions.ts'
import { listPartitions, systemTable } from './partitions.ts'
import type { Cut, KeepBySignal } from './plan.ts'
import { neededSince, planRetention, unsettledDay } from './plan.ts'

export interface RetentionOptions {
  readonly engine: Engine
  readonly layout: Layout
  readonly log: CommitLog
  /** The limits of a tenant. */
  readonly keepOf: (tenant: string) => KeepBySignal
  /** Unix milliseconds of the oldest commit that the engine has not inserted yet, of any server. */
  readonly pendingSince: () => number | undefined | Promise<number | undefined>
  /** Whether this server does the work now; see sharing/housekeeping.ts. Default: yes. */
  readonly isMine?: () => boolean
  /** Called before symbols are deleted. From then on no symbol counts as stored. See SymbolLedger.forgetAll. */
  readonly forgetSymbols: () => Promise<void>
  /** Called before and after rows of the tenant are deleted, also if the engine completes a failed deletion later. */
  readonly onDeleting?: (table: string, tenant: string) => void
  /** Called after rows of a signal were dropped, with their bytes. */
  readonly onDropped?: (signal: string, bytes: number) => void
  readonly now?: () => number
}

const EVERY_MS = 10 * 60_000
/** A smaller share of a day is not worth rewriting it. */
const MIN_SHARE = 0.02
/** Number of tenants in one deletion: at most 70 KB of text, and one rewrite of the table instead of one per tenant. */
const TENANTS_A_DELETION = 1000
const LONGEST_WAIT_MS = 1000
/** Tables whose rows have tenants that queries keep in memory. */
const WATCHED_TABLES = ['profiles']

export interface RetentionResult {
  readonly droppedPartitions: number
  readonly droppedBytes: number
  readonly cutPartitions: number
  /** Counts rows. A symbol may have several, of different days. */
  readonly deletedSymbols: number
}

export class Retention {
  readonly #options: RetentionOptions
  readonly #stopping = new AbortController()
  /** Its queries end with stop(), even if the engine does not respond. */
  readonly #reader: Pick<Engine, 'select'>
  #timer: NodeJS.Timeout | undefined
  #running: Promise<unknown> | undefined
  /** Tables with a deletion that the engine completes later, and the tenants whose deletion failed. */
  readonly #watched = new Map<string, Set<string>>()

  constructor(options: RetentionOptions) {
    this.#options = options
    const { signal } = this.#stopping
    this.#reader = {
      select: async (sql, more) => {
        signal.throwIfAborted()
        return await options.engine.select(sql, { ...more, signal })
      },
    }
  }

  /** Runs now and every ten minutes, one run at a time. */
  start(): void {
    // Deletions of an earlier run of the server may still be incomplete.
    for (const table of WATCHED_TABLES) this.#watch(table)
    this.runSoon()
    this.#timer = setInterval(() => this.runSoon(), EVERY_MS)
    this.#timer.unref()
  }

  /** Runs now if it is the work of this server, unless a run is in progress. */
  runSoon(): void {
    if (this.#options.isMine?.() === false || this.#stopping.signal.aborted) return
    this.#running ??= this.run()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => (this.#running = undefined))
  }

  /** Starts nothing more. The engine completes a running deletion itself, now or after its next start. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#running
  }

  async run(): Promise<RetentionResult> {
    const { engine, layout, keepOf, log, now = Date.now } = this.#options
    // Read this before the partitions, which then contain everything that is not pending.
    const unsettled = unsettledDay(now(), await this.#options.pendingSince())
    const before = await listPartitions(this.#reader, layout)
    const { drops, cuts } = planRetention(before, keepOf, now(), unsettled)
    let droppedBytes = 0
    const dropped = (signal: string, bytes: number): void => {
      droppedBytes += bytes
      this.#options.onDropped?.(signal, bytes)
    }
    for (const { partition, signal } of drops) {
      this.#checkTurn()
      await this.#deleting(partition, () =>
        engine.command(`${this.#alter(partition.table)} DROP PARTITION ID ${quoteText(partition.id)}`),
      )
      dropped(signal, partition.bytes)
    }
    let cutPartitions = 0
    for (const cut of cuts) {
      this.#checkTurn()
      const partitions = await this.#cut(cut)
      cutPartitions += partitions.length
      if (partitions.length > 0) dropped(cut.signal, await this.#shrunkBy(partitions))
    }
    const left = drops.length + cutPartitions === 0 ? before : await listPartitions(this.#reader, layout)
    const deletedSymbols = await this.#collectSymbols(left, unsettled)
    const result = { droppedPartitions: drops.length, droppedBytes, cutPartitions, deletedSymbols }
    if (drops.length + cutPartitions + deletedSymbols > 0) log.info(result, 'retention deleted old data')
    return result
  }

  #checkTurn(): void {
    this.#stopping.signal.throwIfAborted()
    if (this.#options.isMine?.() === false) throw new Error('another server does the housekeeping now')
  }

  async #deleting({ table, tenant }: Partition, run: () => Promise<unknown>): Promise<void> {
    const show = (): void => this.#options.onDeleting?.(table, tenant)
    show()
    try {
      await run()
    } catch (error) {
      this.#watch(table, tenant)
      throw error
    } finally {
      show()
    }
  }

  /** The engine repeats a failed deletion on its own. When it is complete, queries must not use rows that they have in memory. */
  #watch(table: string, tenant?: string): void {
    const known = this.#watched.get(table)
    const tenants = known ?? new Set<string>()
    if (tenant !== undefined) tenants.add(tenant)
    if (known !== undefined) return
    this.#watched.set(table, tenants)
    void this.#showLateDeletions(table, tenants).finally(() => this.#watched.delete(table))
  }

  async #showLateDeletions(table: string, tenants: Set<string>): Promise<void> {
    const { layout, onDeleting, log } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        const partitions = (await listPartitions(this.#reader, layout)).filter(partition => partition.table === table)
        if ((await this.#unfinished(table)).count === 0) {
          for (const tenant of tenants) onDeleting?.(table, tenant)
          return
        }
        // The deletion may be one of an earlier run, so that its tenant is not known.
        for (const { tenant } of partitions) tenants.add(tenant)
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'cannot read the state of deletions; reads it again')
      }
      await sleep(LONGEST_WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  #failed(error: unknown): void {
    if (this.#stopping.signal.aborted) return
    this.#options.log.error({ err: error }, 'retention failed; it runs again later')
  }

  #alter(table: string): string {
    const { layout } = this.#options
    return `ALTER TABLE ${quoteName(storedName(table, layout))}${onCluster(layout)}`
  }

  /** Returns the partitions that were cut. */
  async #cut({ partitions, before, share }: Cut): Promise<readonly Partition[]> {
    if (share !== undefined && share < MIN_SHARE) return []
    const seconds = before === undefined ? await this.#secondOfShare(partitions, share ?? 0) : Math.floor(before / 1000)
    const cut: Partition[] = []
    for (const partition of partitions) {
      const { table, tenant, day } = partition
      const old = `received < fromUnixTimestamp64Nano(toInt64(${seconds}000000000))`
      if ((await this.#count(table, `tenant = ${quoteText(tenant)} AND day = toDate(${day}) AND ${old}`)) === 0)
        continue
      await this.#deleting(partition, () =>
        this.#delete(table, `DELETE IN PARTITION ID ${quoteText(partition.id)} WHERE ${old}`),
      )
      cut.push(partition)
    }
    return cut
  }

  /** Returns the second before which at least `share` of the rows were received. All rows of a request have one time. */
  async #secondOfShare(partitions: readonly Partition[], share: number): Promise<number> {
    const [main] = partitions.toSorted((a, b) => b.bytes - a.bytes)
    // By the second, of which a day has 86,400. Exact times could exceed memory.
    const block = await this.#reader.select(
      'SELECT intDiv(toUnixTimestamp64Nano(received), 1000000000) AS second, count() AS rows ' +
        `FROM ${quoteName(main.table)} WHERE tenant = {tenant:String} AND day = toDate({day:UInt16}) ` +
        'GROUP BY second ORDER BY second',
      { parameters: { tenant: main.tenant, day: main.day } },
    )
    if (block.rows === 0) return 0
    const counts = block.column('rows')
    const seconds = block.column('second')
    let all = 0
    for (let row = 0; row < block.rows; row++) all += Number(counts.bigint(row))
    let sum = 0
    let row = 0
    while (row < block.rows && sum < share * all) sum += Number(counts.bigint(row++))
    return Number(seconds.bigint(Math.max(0, row - 1))) + 1
  }

  async #shrunkBy(partitions: readonly Partition[]): Promise<number> {
    const { layout } = this.#options
    const now = await listPartitions(this.#reader, layout)
    let bytes = 0
    for (const { table, id, bytes: before } of partitions)
      bytes += before - (now.find(partition => partition.table === table && partition.id === id)?.bytes ?? 0)
    return Math.max(0, bytes)
  }

  async #count(table: string, where: string): Promise<number> {
    const block = await this.#reader.select(`SELECT count() AS rows FROM ${quoteName(table)} WHERE ${where}`)
    return Number(block.column('rows').bigint(0))
  }

  async #collectSymbols(partitions: readonly Partition[], unsettled: number): Promise<number> {
    let deleted = 0
    for (const { name } of symbolTables) {
      const due = await this.#dueSymbols(name, partitions, unsettled)
      for (let from = 0; from < due.length; from += TENANTS_A_DELETION) {
        const where = due
          .slice(from, from + TENANTS_A_DELETION)
          .map(([tenant, day]) => `tenant = ${quoteText(tenant)} AND last_seen < toDate(${day})`)
          .join(' OR ')
        this.#checkTurn()
        deleted += await this.#count(name, where)
        // Rows that arrive from now on are in other parts, which the deletion does not touch.
        await this.#options.forgetSymbols()
        await this.#delete(name, `DELETE WHERE ${where}`)
      }
    }
    return deleted
  }

  /** Returns the tenants that have symbols from before the day since which they are needed. */
  async #dueSymbols(
    table: string,
    partitions: readonly Partition[],
    unsettled: number,
  ): Promise<readonly (readonly [tenant: string, day: number])[]> {
    const block = await this.#reader.select(
      "SELECT CAST(tenant, 'String') AS name, toUInt16(min(last_seen)) AS first " +
        `FROM ${quoteName(table)} GROUP BY tenant ORDER BY tenant`,
    )
    const due: (readonly [string, number])[] = []
    for (let row = 0; row < block.rows; row++) {
      const tenant = block.column('name').text(row)
      const day = neededSince(partitions, tenant, table, unsettled)
      if (block.column('first').number(row) < day) due.push([tenant, day])
    }
    return due
  }

  async #delete(table: string, deletion: string): Promise<void> {
    // One at a time: a deletion that fails, for example on a full disk, must not delay others behind it.
    await this.#deletionsDone(table)
    await this.#options.engine.command(`${this.#alter(table)} ${deletion}`)
    await this.#deletionsDone(table)
  }

  /** Polls instead of waiting in the statement, so that the server can shut down meanwhile. */
  async #deletionsDone(table: string): Promise<void> {
    const { signal } = this.#stopping
    for (let wait = 10; ; wait = Math.min(1.25 * wait, LONGEST_WAIT_MS)) {
      signal.throwIfAborted()
      const { count, reason } = await this.#unfinished(table)
      if (count === 0) return
      if (reason !== '') throw new Error(`rows of ${table} cannot be deleted: ${reason}`)
      await sleep(wait, undefined, { signal })
    }
  }

  /** Deletions that are not complete, and why the last attempt failed. */
  async #unfinished(table: string): Promise<{ readonly count: number; readonly reason: string }> {
    const { layout } = this.#options
    const block = await this.#reader.select(
      `SELECT count() AS unfinished, max(latest_fail_reason) AS reason FROM ${systemTable('mutations', layout)} ` +
        'WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done',
      { parameters: { table: storedName(table, layout) } },
    )
    return { count: Number(block.column('unfinished').bigint(0)), reason: block.column('reason').text(0) }
  }
}
