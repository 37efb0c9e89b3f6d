// Reads a stored request as it was accepted: all its resources and scopes in order, including empty ones.
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder } from '@hearth/profile'
import type { LogsData, MetricsData, TracesData } from '@hearth/signals'
import type { Engine } from '../engine.ts'
import type { Signal } from '../keeper.ts'
import type { Block } from '../native/block.ts'
import { ProfileRows } from '../profiles/profile-rows.ts'
import type { ReadOptions } from '../profiles/read-profiles.ts'
import { addResource, addScope } from '../profiles/read-profiles.ts'
import { ContainerTables, addAll } from '../read-containers.ts'
import type { ItemRows, ResourceRows } from '../signals/item-containers.ts'
import { logsOf, metricsDataOf, tracesOf } from '../signals/item-containers.ts'
import { SymbolLoader } from '../symbols/load-symbols.ts'
import { addUnknownOfRequest } from '../unknown-parts.ts'

/** The tenant has no such request. */
export class UnknownRequestError extends Error {
  override readonly name = 'UnknownRequestError'
}

/** If the same content arrived twice with one id, this is the latest. */
export async function readRequestProfiles(
  engine: Engine,
  tenant: string,
  request: Uint8Array,
  options: Pick<ReadOptions, 'onFault'> = {},
): Promise<Profiles> {
  const found = await requestRow(engine, tenant, request, 'profiles')
  const block = await engine.select(
    `SELECT ${ProfileRows.COLUMNS} FROM profiles WHERE tenant = {tenant:String} AND day = toDate({day:UInt16}) ` +
      'AND request = {request:FixedString(16)} AND received = fromUnixTimestamp64Nano({received:Int64}) ' +
      'ORDER BY scope_index, item_index',
    {
      parameters: {
        tenant,
        request,
        day: found.column('day').number(0),
        received: found.column('received').bigint(0),
      },
    },
  )
  const builder = new ProfilesBuilder()
  const symbols = new SymbolLoader({ engine, tenant, ...options }, builder)
  const rows = new ProfileRows(block, symbols, builder)
  const resources = await resourcesOf(engine, tenant, found, block)
  rows.addSymbols()
  await symbols.load()
  addUnknownOfRequest(builder, found.column('unknown_fields').bytes(0))
  for (const resource of resources) {
    addResource(builder, resource)
    for (const scope of resource.scopes) {
      addScope(builder, scope)
      for (let row = scope.from; row < scope.to; row++) rows.add(row)
    }
  }
  return builder.build()
}

export async function readRequestTraces(engine: Engine, tenant: string, request: Uint8Array): Promise<TracesData> {
  return tracesOf(await readRequest(engine, tenant, request, 'traces', 'spans'))
}

export async function readRequestLogs(engine: Engine, tenant: string, request: Uint8Array): Promise<LogsData> {
  return logsOf(await readRequest(engine, tenant, request, 'logs', 'logs'))
}

export async function readRequestMetrics(engine: Engine, tenant: string, request: Uint8Array): Promise<MetricsData> {
  return metricsDataOf(await readRequest(engine, tenant, request, 'metrics', 'metric_points'))
}

async function readRequest(
  engine: Engine,
  tenant: string,
  request: Uint8Array,
  signal: Signal,
  table: string,
): Promise<ItemRows> {
  const found = await requestRow(engine, tenant, request, signal)
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

async function requestRow(engine: Engine, tenant: string, request: Uint8Array, signal: Signal): Promise<Block> {
  const found = await engine.select(
    'SELECT day, received, resources, scopes, scope_resources, unknown_fields FROM requests ' +
      'WHERE tenant = {tenant:String} AND signal = {signal:String} AND request = {request:FixedString(16)} ' +
      'ORDER BY received DESC LIMIT 1',
    { parameters: { tenant, request, signal } },
  )
  if (found.rows === 0) throw new UnknownRequestError(`no request of ${signal} ${Buffer.from(request).toString('hex')}`)
  return found
}
