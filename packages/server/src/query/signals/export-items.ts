// Exports spans, log records and data points as OTLP, as they were received: grouped by request, resource and scope, in order.
// Reads a bounded number of items at a time.
import { decodeParts, encodeParts } from '@hearth/profile'
import type { LogsData, MetricsData, TracesData } from '@hearth/signals'
import type { Block } from '../../store/native/block.ts'
import { ContainerTables } from '../../store/read-containers.ts'
import type { ItemRows, ResourceRows, ScopeRows } from '../../store/signals/item-containers.ts'
import { logsOf, metricsDataOf, tracesOf } from '../../store/signals/item-containers.ts'
import type { MissingSymbols } from '../profiles/missing-symbols.ts'
import type { QueryContext } from '../query-context.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'
import type { SignalItemKind } from './items-where.ts'
import { checkItemSelector, itemsWhere } from './items-where.ts'

export type ExportedSignal = 'traces' | 'logs' | 'metrics'
export type ExportedItems = TracesData | LogsData | MetricsData

interface Source {
  readonly table: string
  readonly kind: SignalItemKind
  readonly dataOf: (rows: ItemRows) => ExportedItems
}

const SOURCES: Readonly<Record<ExportedSignal, Source>> = {
  traces: { table: 'spans', kind: 'span', dataOf: tracesOf },
  logs: { table: 'logs', kind: 'log', dataOf: logsOf },
  metrics: { table: 'metric_points', kind: 'point', dataOf: metricsDataOf },
}

/** About 20,000 items take some 20 MB as blocks and as messages. A single larger request is read alone. */
const BATCH_ITEMS = 20_000
const BATCH_REQUESTS = 200

/** Yields the matching items in the order of their receipt. Lost resources and scopes are empty and counted. */
export async function* exportItems(
  context: QueryContext,
  query: Query,
  signal: ExportedSignal,
  missing: MissingSymbols,
): AsyncGenerator<ExportedItems> {
  const { table, kind, dataOf } = SOURCES[signal]
  const running = new RunningQuery(context.engine, query)
  await checkItemSelector(running, kind)
  const values = new Values()
  const where = itemsWhere(running, values)
  const requests = await running.select(
    `SELECT request, toUnixTimestamp64Nano(received) AS at, count() AS items FROM ${table} WHERE ${where} ` +
      'GROUP BY request, received ORDER BY received, request',
    values.all,
  )
  const point = kind === 'point' ? ', point_index' : ''
  for (let from = 0; from < requests.rows;) {
    const to = endOfBatch(requests, from)
    const batch = new Values()
    const conditions = itemsWhere(running, batch)
    const ids = Array.from({ length: to - from }, (_, i) =>
      requests
        .column('request')
        .bytes(from + i)
        .slice(),
    )
    const wanted = ids.map(id => batch.add('FixedString(16)', id)).join(', ')
    const first = batch.add('Int64', requests.column('at').bigint(from))
    const last = batch.add('Int64', requests.column('at').bigint(to - 1))
    const block = await running.select(
      `SELECT * FROM ${table} WHERE ${conditions} AND request IN (${wanted}) ` +
        `AND received >= fromUnixTimestamp64Nano(${first}) AND received <= fromUnixTimestamp64Nano(${last}) ` +
        `ORDER BY received, request, scope_index, item_index${point}`,
      batch.all,
    )
    yield dataOf({
      block,
      resources: await resourcesOf(running, block, missing),
      unknown: await unknownOf(running, signal, ids),
    })
    from = to
  }
}

/** The number of matching items that have unknown fields. */
export async function itemsWithUnknownFields(
  context: QueryContext,
  query: Query,
  signal: ExportedSignal,
): Promise<number> {
  const running = new RunningQuery(context.engine, query)
  const values = new Values()
  const where = itemsWhere(running, values)
  const found = await running.select(
    `SELECT count() AS items FROM ${SOURCES[signal].table} WHERE ${where} AND original != ''`,
    values.all,
  )
  return Number(found.column('items').bigint(0))
}

/** The unknown fields of the requests themselves, each once. */
async function unknownOf(
  running: RunningQuery,
  signal: ExportedSignal,
  ids: readonly Uint8Array[],
): Promise<Uint8Array> {
  const values = new Values()
  const wanted = ids.map(id => values.add('FixedString(16)', id)).join(', ')
  const tenant = values.add('String', running.tenant)
  const found = await running.select(
    `SELECT DISTINCT unknown_fields FROM requests WHERE tenant = ${tenant} AND signal = ${values.add('String', signal)} ` +
      `AND unknown_fields != '' AND request IN (${wanted}) ORDER BY unknown_fields`,
    values.all,
  )
  const parts = Array.from({ length: found.rows }, (_, row) => found.column('unknown_fields').bytes(row))
  return encodeParts(parts.flatMap(each => [...decodeParts(each)]))
}

function endOfBatch(requests: Block, from: number): number {
  const items = requests.column('items')
  let sum = 0
  let to = from
  while (to < requests.rows && to - from < BATCH_REQUESTS) {
    sum += Number(items.bigint(to))
    if (to > from && sum > BATCH_ITEMS) break
    to++
  }
  return to
}

/** Groups consecutive rows by request, resource and scope. */
async function resourcesOf(
  { limitedEngine: engine, tenant }: RunningQuery,
  block: Block,
  { onFault }: MissingSymbols,
): Promise<readonly ResourceRows[]> {
  const tables = new ContainerTables({ engine, tenant, onFault })
  const add = (ids: { add(lo: number, hi: number): number }, id: bigint): number =>
    ids.add(Number(BigInt.asIntN(32, id)), Number(BigInt.asIntN(32, id >> 32n)))
  const found: { readonly key: string; readonly number: number; readonly scopes: FoundScope[] }[] = []
  for (let row = 0; row < block.rows; row++) {
    const request = Buffer.from(block.column('request').bytes(row)).toString('hex')
    const received = block.column('received').bigint(row)
    const key = [request, received, block.column('resource_index').number(row)].join(' ')
    let resource = found.at(-1)
    if (resource?.key !== key) {
      resource = { key, number: add(tables.resources.ids, block.column('resource').bigint(row)), scopes: [] }
      found.push(resource)
    }
    const index = block.column('scope_index').number(row)
    const scope = resource.scopes.at(-1)
    if (scope?.index === index) scope.to = row + 1
    else {
      const number = add(tables.scopes.ids, block.column('scope').bigint(row))
      resource.scopes.push({ index, number, from: row, to: row + 1 })
    }
  }
  await tables.load()
  return found.map(({ number, scopes }) => ({
    ...tables.resource(number),
    scopes: scopes.map(({ number: scope, from, to }): ScopeRows => ({ ...tables.scope(scope), from, to })),
  }))
}

interface FoundScope {
  readonly index: number
  readonly number: number
  readonly from: number
  to: number
}
