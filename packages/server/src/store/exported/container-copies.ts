// Copies the resources and scopes in the exporter's tables into Hearth's, where they are stored once. Their ids are hashes that the
// engine computes, and `check` is 0. The copies serve three queries: attributes of resources in responses, conditions on them, and
// resources of the same process as a profile's.
import type { Engine } from '../engine.ts'
import { quoteName, quoteText } from '../sql-text.ts'
import type { ExporterAddress } from './exporter-address.ts'
import type { KnownTypes } from './exported-views.ts'
import { RESOURCE_ID, scopeId } from './exported-views.ts'

export interface ContainerCopiesOptions {
  readonly engine: Engine
  readonly address: ExporterAddress
  readonly types: () => KnownTypes
  /** Unix milliseconds. */
  readonly now?: () => number
}

type Container = 'resources' | 'scopes'

const MS_PER_DAY = 86_400_000
/** Copies are kept for this long after their last use. They are renewed in the last part of that time. */
const KEPT_DAYS = 400
const RENEWED_DAYS = 300
/** Data that arrives later is found when a query needs it. */
const LATE_MS = 120_000
const RESTART_DAYS = 7
const MAX_KNOWN = 1_000_000

export class ContainerCopies {
  readonly #options: ContainerCopiesOptions
  /** Ids that have a copy. */
  readonly #known = { resources: new Set<bigint>(), scopes: new Set<bigint>() }
  #copiedTo: number | undefined

  constructor(options: ContainerCopiesOptions) {
    this.#options = options
  }

  /** Copies what is new. The first time, copies everything; after a restart, the last days. One call at a time. */
  async update(): Promise<void> {
    const now = this.#now()
    const since = this.#copiedTo === undefined ? await this.#firstTime(now) : this.#copiedTo - LATE_MS
    await this.#copySince(since)
    this.#copiedTo = now
  }

  /** Resolves when all ids have a copy that are in the exporter's tables. */
  async ensure(container: Container, ids: readonly bigint[]): Promise<void> {
    const known = this.#known[container]
    if (await this.#haveCopies(container, ids)) return
    // Equal rows of two copies at the same time become one.
    await this.#copySince((this.#copiedTo ?? this.#now()) - LATE_MS)
    if (await this.#haveCopies(container, ids)) return
    const missing = ids.filter(id => !known.has(id))
    for (const [table] of this.#tables()) await this.#insert(container, table, `own_id IN (${missing.join(', ')})`)
    // Others are not the exporter's. They are not looked for again.
    for (const id of missing) known.add(id)
  }

  async #haveCopies(container: Container, ids: readonly bigint[]): Promise<boolean> {
    const known = this.#known[container]
    if (known.size > MAX_KNOWN) known.clear()
    const missing = ids.filter(id => !known.has(id))
    if (missing.length === 0) return true
    const block = await this.#options.engine.select(
      `SELECT DISTINCT id FROM ${container} WHERE tenant = {tenant:String} AND id IN {ids:Array(UInt64)}`,
      { parameters: { tenant: this.#options.address.tenant, ids: missing } },
    )
    for (let row = 0; row < block.rows; row++) known.add(block.column('id').bigint(row))
    return missing.every(id => known.has(id))
  }

  /** Unix milliseconds since when resources may have no copy. */
  async #firstTime(now: number): Promise<number> {
    const block = await this.#options.engine.select(
      'SELECT toUInt8(count() > 0) AS any FROM resources WHERE tenant = {tenant:String} AND check = 0',
      { parameters: { tenant: this.#options.address.tenant } },
    )
    return block.column('any').number(0) === 1 ? now - RESTART_DAYS * MS_PER_DAY : 0
  }

  async #copySince(since: number): Promise<void> {
    for (const container of ['resources', 'scopes'] as const)
      for (const [table, time] of this.#tables()) await this.#insert(container, table, `${time} >= ${timeOf(since)}`)
  }

  async #insert(container: Container, table: string, where: string): Promise<void> {
    const { engine, address, types } = this.#options
    const known = types().get(table)
    if (known === undefined) return
    const has = (column: string): boolean => known.has(column)
    const tenant = quoteText(address.tenant)
    const id = container === 'resources' ? RESOURCE_ID : scopeId(has)
    const scopeAttributes = has('ScopeAttributes') ? 'ScopeAttributes' : "CAST(map(), 'Map(String, String)')"
    const attributes = container === 'resources' ? 'ResourceAttributes' : scopeAttributes
    const own: Readonly<Record<string, string>> =
      container === 'resources'
        ? { service: 'any(ServiceName)' }
        : { name: 'any(ScopeName)', version: 'any(ScopeVersion)' }
    const columns = {
      tenant,
      id: 'own_id',
      check: '0',
      last_seen: `today() + ${KEPT_DAYS}`,
      attribute_keys: `mapKeys(any(${attributes}))`,
      // Resource attributes stay texts, because processes are compared by them.
      attribute_kinds: `arrayMap(_ -> 1, mapKeys(any(${attributes})))`,
      attribute_values: `mapValues(any(${attributes}))`,
      ...own,
    }
    const stored =
      `SELECT id FROM ${container} WHERE tenant = ${tenant} AND check = 0 ` +
      `AND last_seen > today() + ${RENEWED_DAYS}`
    await engine.command(
      `INSERT INTO ${container} (${Object.keys(columns).map(quoteName).join(', ')}) ` +
        `SELECT ${Object.values(columns).join(', ')} FROM (SELECT *, ${id} AS own_id FROM ` +
        `${quoteName(address.database)}.${quoteName(table)} WHERE ${where} AND own_id NOT IN (${stored})) GROUP BY own_id`,
    )
  }

  /** The tables that exist, with their column of times. */
  #tables(): readonly (readonly [table: string, time: string])[] {
    const { address, types } = this.#options
    const all: readonly (readonly [string, string])[] = [
      [address.traces, 'Timestamp'],
      [address.logs, 'Timestamp'],
      ...Object.values(address.metrics).map(table => [table, 'TimeUnix'] as const),
    ]
    return all.filter(([table]) => types().has(table))
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now()
  }
}

function timeOf(ms: number): string {
  return `fromUnixTimestamp64Milli(toInt64(${Math.floor(ms)}))`
}
