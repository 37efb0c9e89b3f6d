// Reads a request of traces, logs or metrics as it was accepted: all its resources and scopes in order, including empty ones.
import { OWN_PART, partOf } from '@hearth/profile'
import type { LogsData, Metric, MetricsData, TracesData, WithUnknown } from '@hearth/signals'
import type { StoredResource, StoredScope } from '../containers.ts'
import type { Engine } from '../engine.ts'
import type { Signal } from '../keeper.ts'
import type { Block } from '../native/block.ts'
import { UnknownRequestError } from '../profiles/read-profiles.ts'
import { ContainerTables, addAll } from '../read-containers.ts'
import { originalLogRecord, originalMetric, originalSpan } from './read-originals.ts'

export async function readRequestTraces(engine: Engine, tenant: string, request: Uint8Array): Promise<TracesData> {
  return tracesOf(await readRequest(engine, tenant, request, 'traces', 'spans'))
}

export function tracesOf({ block, resources, unknown }: ItemRows): TracesData {
  return {
    ...ownFields(unknown),
    resourceSpans: resources.map(({ resource, schemaUrl, scopes, unknown: own }) => ({
      ...ownFields(own),
      resource,
      schemaUrl,
      scopeSpans: scopes.map(scope => ({
        ...ownFields(scope.unknown),
        scope: scope.scope,
        schemaUrl: scope.schemaUrl,
        spans: rowsOf(scope).map(row => originalSpan(block, row)),
      })),
    })),
  }
}

export async function readRequestLogs(engine: Engine, tenant: string, request: Uint8Array): Promise<LogsData> {
  return logsOf(await readRequest(engine, tenant, request, 'logs', 'logs'))
}

export function logsOf({ block, resources, unknown }: ItemRows): LogsData {
  return {
    ...ownFields(unknown),
    resourceLogs: resources.map(({ resource, schemaUrl, scopes, unknown: own }) => ({
      ...ownFields(own),
      resource,
      schemaUrl,
      scopeLogs: scopes.map(scope => ({
        ...ownFields(scope.unknown),
        scope: scope.scope,
        schemaUrl: scope.schemaUrl,
        logRecords: rowsOf(scope).map(row => originalLogRecord(block, row)),
      })),
    })),
  }
}

export async function readRequestMetrics(engine: Engine, tenant: string, request: Uint8Array): Promise<MetricsData> {
  return metricsDataOf(await readRequest(engine, tenant, request, 'metrics', 'metric_points'))
}

export function metricsDataOf({ block, resources, unknown }: ItemRows): MetricsData {
  return {
    ...ownFields(unknown),
    resourceMetrics: resources.map(({ resource, schemaUrl, scopes, unknown: own }) => ({
      ...ownFields(own),
      resource,
      schemaUrl,
      scopeMetrics: scopes.map(scope => ({
        ...ownFields(scope.unknown),
        scope: scope.scope,
        schemaUrl: scope.schemaUrl,
        metrics: metricsOf(block, scope),
      })),
    })),
  }
}

export interface ScopeRows extends StoredScope {
  /** Its rows in the block. */
  readonly from: number
  readonly to: number
}

export interface ResourceRows extends StoredResource {
  readonly scopes: readonly ScopeRows[]
}

/** Rows of items with their resources and scopes. */
export interface ItemRows {
  /** All items in order. */
  readonly block: Block
  readonly resources: readonly ResourceRows[]
  /** Unknown fields of the requests, encoded as parts. */
  readonly unknown?: Uint8Array | undefined
}

/** The unknown fields of a message itself. `parts` is undefined or empty if there are none. */
function ownFields(parts: Uint8Array | undefined): WithUnknown {
  const own = partOf(parts, OWN_PART)
  return own.length === 0 ? {} : { unknown: own.slice() }
}

async function readRequest(
  engine: Engine,
  tenant: string,
  request: Uint8Array,
  signal: Signal,
  table: string,
): Promise<ItemRows> {
  const parameters = { tenant, request, signal }
  const found = await engine.select(
    'SELECT day, resources, scopes, scope_resources, unknown_fields FROM requests WHERE tenant = {tenant:String} ' +
      'AND signal = {signal:String} AND request = {request:FixedString(16)} ORDER BY received DESC LIMIT 1',
    { parameters },
  )
  if (found.rows === 0) throw new UnknownRequestError(`no request of ${signal} ${Buffer.from(request).toString('hex')}`)
  const order = table === 'metric_points' ? 'scope_index, item_index, point_index' : 'scope_index, item_index'
  const block = await engine.select(
    `SELECT * FROM ${table} WHERE tenant = {tenant:String} AND day = toDate({day:UInt16}) ` +
      `AND request = {request:FixedString(16)} ORDER BY ${order}`,
    { parameters: { tenant, request, day: found.column('day').number(0) } },
  )
  const unknown = found.column('unknown_fields').bytes(0)
  return { block, resources: await resourcesOf(engine, tenant, found, block), unknown }
}

async function resourcesOf(engine: Engine, tenant: string, found: Block, block: Block): Promise<ResourceRows[]> {
  const tables = new ContainerTables({ engine, tenant })
  const resourceNumbers = addAll(found, 'resources', tables.resources)
  const scopeNumbers = addAll(found, 'scopes', tables.scopes)
  await tables.load()
  const ofScope = found.column('scope_resources')
  let row = 0
  const scopes = scopeNumbers.map((number, scope) => {
    const from = row
    while (row < block.rows && block.column('scope_index').number(row) === scope) row++
    const resource = ofScope.values.number(ofScope.from(0) + scope)
    return { ...tables.scope(number), resource, from, to: row }
  })
  return resourceNumbers.map((number, index) => ({
    ...tables.resource(number),
    scopes: scopes.filter(scope => scope.resource === index),
  }))
}

function rowsOf({ from, to }: ScopeRows): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

/** Rows of one metric are adjacent. */
function metricsOf(block: Block, { from, to }: ScopeRows): readonly Metric[] {
  const metrics: Metric[] = []
  for (let row = from; row < to;) {
    const item = block.column('item_index').number(row)
    let end = row + 1
    while (end < to && block.column('item_index').number(end) === item) end++
    metrics.push(originalMetric(block, row, end))
    row = end
  }
  return metrics
}
