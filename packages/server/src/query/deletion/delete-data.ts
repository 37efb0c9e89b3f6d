// Deletes the data that a selector matches, of any signal: the items, requests that became empty, and the symbols that nothing
// refers to any more. The store rewrites its parts without the rows, and removes the old parts from disk some minutes later.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Signal } from '@hearth/signals'
import type { Engine } from '../../store/engine.ts'
import { TABLES_OF_SIGNAL, unsettledDay } from '../../store/retention/plan.ts'
import { systemTable } from '../../store/retention/partitions.ts'
import type { Layout } from '../../store/schema/ddl.ts'
import { onCluster, storedName } from '../../store/schema/ddl.ts'
import { quoteName, quoteText, withLiterals } from '../../store/sql-text.ts'
import { QueryError } from '../query-error.ts'
import { RunningQuery } from '../query.ts'
import { profilesWhere } from '../select/profiles-where.ts'
import { resolve } from '../select/selection.ts'
import type { SignalItemKind } from '../signals/items-where.ts'
import { checkItemSelector, itemsWhere } from '../signals/items-where.ts'
import { Values } from '../statement.ts'
import { collectSymbols } from './collect-symbols.ts'

export interface DeletionRequest {
  readonly tenant: string
  readonly signals: readonly Signal[]
  readonly selector: string
  /** Nanoseconds since 1970. */
  readonly from: bigint
  readonly to: bigint
  /** Only data that was received before this time, so that a deletion ends. */
  readonly receivedBefore: bigint
}

export interface DeletionStore {
  readonly engine: Engine
  readonly layout: Layout
  /** Resolves when everything received before the call is visible to queries. */
  visible(): Promise<void>
  /** Resolves when no announced symbol counts as stored any more. */
  forgetSymbols(): Promise<void>
  /** Runs a task while no rows are inserted. */
  exclusively<Result>(task: () => Promise<Result>): Promise<Result>
}

export interface DeletionOptions {
  readonly store: DeletionStore
  readonly signal: AbortSignal
  /** Called before and after rows of the tenant are deleted: caches must forget them. */
  readonly onDeleting: (tenant: string) => void
  readonly now?: () => number
}

/** The condition of the rows of one signal. */
interface Matching {
  readonly signal: Signal
  readonly table: string
  readonly where: string
}

const ITEM_KINDS: Readonly<Record<Exclude<Signal, 'profiles'>, SignalItemKind>> = {
  traces: 'span',
  logs: 'log',
  metrics: 'point',
}

/** A selection by trace is deleted by the identities of its profiles. */
const MAX_IDENTITIES = 10_000

/** The number of matching profiles, spans, log records and data points. Throws QueryError. */
export async function countMatching(
  store: Pick<DeletionStore, 'engine' | 'layout'>,
  request: DeletionRequest,
): Promise<ReadonlyMap<Signal, number>> {
  const counts = new Map<Signal, number>()
  for (const signal of request.signals) {
    const { table, where } = await matching(store.engine, request, signal)
    counts.set(signal, await countRows(store.engine, table, where))
  }
  return counts
}

/** Returns the rows that were deleted by table. Running it again continues a deletion that was interrupted. */
export async function deleteData(
  request: DeletionRequest,
  { store, signal, onDeleting, now = Date.now }: DeletionOptions,
): Promise<ReadonlyMap<string, number>> {
  const { engine, layout } = store
  const { tenant } = request
  const deleted = new Map<string, number>()
  const remove = async (table: string, where: string): Promise<void> => {
    const count = await countRows(engine, table, where)
    deleted.set(table, (deleted.get(table) ?? 0) + count)
    if (count > 0) await deleteRows({ engine, layout, signal }, table, where)
  }
  await store.visible()
  onDeleting(tenant)
  try {
    const containers = { resources: new Set<bigint>(), scopes: new Set<bigint>() }
    for (const each of request.signals) {
      const { table, where } = await matching(engine, request, each)
      for (const [column, ids] of [
        ['resource', containers.resources],
        ['scope', containers.scopes],
      ] as const)
        for (const id of await distinct(engine, table, column, where)) ids.add(id)
      if (each === 'profiles') await remove('span_samples', spanSamplesOf(where))
      await remove(table, where)
      await remove('requests', emptyRequests(request, each))
    }
    onDeleting(tenant)
    // Afterwards every request announces its symbols again, so that those without references can go.
    await store.forgetSymbols()
    await store.visible()
    const before = engine.kind === 'embedded' ? undefined : unsettledDay(now(), undefined)
    await store.exclusively(() => collectSymbols(tenant, containers, before, remove))
    return deleted
  } finally {
    onDeleting(tenant)
  }
}

/** Throws QueryError. */
async function matching(engine: Engine, request: DeletionRequest, signal: Signal): Promise<Matching> {
  const { tenant, selector, from, to, receivedBefore } = request
  const running = new RunningQuery(engine, { tenant, selector, from, to, receivedBefore })
  const values = new Values()
  if (signal !== 'profiles') {
    await checkItemSelector(running, ITEM_KINDS[signal])
    const [table] = TABLES_OF_SIGNAL[signal]
    return { signal, table, where: withLiterals(itemsWhere(running, values), values.all) }
  }
  const selection = await resolve(running)
  const where = `(${withLiterals(profilesWhere(selection, values), values.all)}) AND received < ${timeOf(receivedBefore)}`
  if (!selection.bySpan) return { signal, table: 'profiles', where }
  return { signal, table: 'profiles', where: await identities(engine, tenant, where) }
}

/** The samples of a trace are deleted first, so that their profiles could not be found afterwards. */
async function identities(engine: Engine, tenant: string, where: string): Promise<string> {
  const block = await engine.select(
    'SELECT lower(hex(request)) AS id, toUnixTimestamp64Nano(received) AS time, scope_index, item_index ' +
      `FROM profiles WHERE ${where} LIMIT ${MAX_IDENTITIES + 1}`,
  )
  if (block.rows > MAX_IDENTITIES)
    throw new QueryError('argument', `more than ${MAX_IDENTITIES} profiles match; use a shorter range`)
  if (block.rows === 0) return '0'
  const rows = Array.from(
    { length: block.rows },
    (_, row) =>
      `(unhex('${block.column('id').text(row)}'), ${block.column('time').bigint(row)}, ` +
      `${block.column('scope_index').number(row)}, ${block.column('item_index').number(row)})`,
  )
  return (
    `tenant = ${quoteText(tenant)} AND ` +
    `(request, toUnixTimestamp64Nano(received), scope_index, item_index) IN (${rows.join(', ')})`
  )
}

function spanSamplesOf(where: string): string {
  const key = 'request, received, scope_index, item_index'
  return `(${key}) IN (SELECT ${key} FROM profiles WHERE ${where})`
}

/** Requests whose items are all gone. The rows of a request are visible at the same time as its items, see `visible`. */
function emptyRequests({ tenant, receivedBefore }: DeletionRequest, signal: Signal): string {
  const [table] = TABLES_OF_SIGNAL[signal]
  const ofTenant = `tenant = ${quoteText(tenant)}`
  return (
    `${ofTenant} AND signal = ${quoteText(signal)} AND accepted > 0 AND received < ${timeOf(receivedBefore)} ` +
    `AND request NOT IN (SELECT request FROM ${quoteName(table)} WHERE ${ofTenant})`
  )
}

function timeOf(nanoseconds: bigint): string {
  return `fromUnixTimestamp64Nano(toInt64(${nanoseconds}))`
}

async function countRows(engine: Engine, table: string, where: string): Promise<number> {
  const block = await engine.select(`SELECT count() AS rows FROM ${quoteName(table)} WHERE ${where}`)
  return Number(block.column('rows').bigint(0))
}

async function distinct(engine: Engine, table: string, column: string, where: string): Promise<bigint[]> {
  const block = await engine.select(`SELECT DISTINCT ${column} AS id FROM ${quoteName(table)} WHERE ${where}`)
  return Array.from({ length: block.rows }, (_, row) => block.column('id').bigint(row))
}

interface MutationOptions {
  readonly engine: Engine
  readonly layout: Layout
  readonly signal: AbortSignal
}

const LONGEST_WAIT_MS = 1000

/** Resolves when no visible part has the rows. */
async function deleteRows({ engine, layout, signal }: MutationOptions, table: string, where: string): Promise<void> {
  const stored = storedName(table, layout)
  await engine.command(`ALTER TABLE ${quoteName(stored)}${onCluster(layout)} DELETE WHERE ${where}`)
  for (let wait = 10; ; wait = Math.min(1.25 * wait, LONGEST_WAIT_MS)) {
    signal.throwIfAborted()
    const block = await engine.select(
      `SELECT count() AS unfinished, max(latest_fail_reason) AS reason FROM ${systemTable('mutations', layout)} ` +
        'WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done',
      { parameters: { table: stored } },
    )
    if (block.column('unfinished').bigint(0) === 0n) return
    const reason = block.column('reason').text(0)
    if (reason !== '') throw new Error(`rows of ${table} cannot be deleted: ${reason}`)
    await sleep(wait, undefined, { signal })
  }
}

/** The parts that are not visible any more, but still on disk. They may contain deleted rows. */
export async function replacedParts(
  { engine, layout }: Pick<DeletionStore, 'engine' | 'layout'>,
  tables: readonly string[],
): Promise<readonly string[]> {
  if (tables.length === 0) return []
  const names = tables.map(table => storedName(table, layout))
  const block = await engine.select(
    `SELECT concat(table, ' ', name) AS part FROM ${systemTable('parts', layout)} ` +
      'WHERE database = currentDatabase() AND NOT active AND table IN {tables:Array(String)}',
    { parameters: { tables: names } },
  )
  return Array.from({ length: block.rows }, (_, row) => block.column('part').text(row))
}
