// Reads the catalog of a tenant from the store.
import type { ReadEngine } from '../../store/engine.ts'
import type { Block } from '../../store/native/block.ts'
import { MAX_IDS, Values } from '../statement.ts'
import { HOUR } from './profile-runs.ts'
import { TenantCatalog } from './tenant-catalog.ts'

export interface CatalogSize {
  readonly profiles: number
  readonly samples: number
}

/** The last profiles of a tenant are kept one by one, and others by the hour. 100,000 take 4 MB. */
const MAX_SINGLE = 200_000

export async function sizeOf(engine: ReadEngine, tenant: string): Promise<CatalogSize> {
  const block = await engine.select(
    'SELECT count() AS profiles, sum(toUInt64(samples)) AS samples FROM profiles WHERE tenant = {tenant:String}',
    { parameters: { tenant } },
  )
  return { profiles: block.column('profiles').number(0), samples: block.column('samples').number(0) }
}

export interface LoadedCatalog {
  readonly catalog: TenantCatalog
  /** The times of receipt after `received` of all profiles in it. */
  readonly laterRequests: ReadonlySet<bigint>
}

/** Profiles that were received after `received` are read one by one. */
export async function loadCatalog(
  engine: ReadEngine,
  tenant: string,
  size: CatalogSize,
  received: bigint,
  withSampleSets: boolean,
): Promise<LoadedCatalog> {
  const catalog = new TenantCatalog(withSampleSets)
  const block =
    size.profiles <= MAX_SINGLE
      ? await selectProfiles(engine, tenant, withSampleSets)
      : await selectRuns(engine, tenant, size, received, withSampleSets)
  catalog.addProfiles(block)
  const laterRequests = new Set<bigint>()
  for (let row = 0; row < block.rows; row++) {
    const last = block.column(block.names.includes('received_last') ? 'received_last' : 'received').bigint(row)
    if (last > received) laterRequests.add(last)
  }
  return { catalog, laterRequests }
}

function setsColumn(withSampleSets: boolean): string {
  return `${withSampleSets ? 'arraySort(arrayDistinct(sample_attributes))' : "CAST([], 'Array(UInt64)')"} AS sets`
}

async function selectProfiles(engine: ReadEngine, tenant: string, withSampleSets: boolean): Promise<Block> {
  return await engine.select(
    `SELECT series, attributes, period, overflowed, total, ${setsColumn(withSampleSets)}, time, received FROM profiles ` +
      'WHERE tenant = {tenant:String}',
    { parameters: { tenant } },
  )
}

async function selectRuns(
  engine: ReadEngine,
  tenant: string,
  { profiles }: CatalogSize,
  received: bigint,
  withSampleSets: boolean,
): Promise<Block> {
  const share = 1 - MAX_SINGLE / profiles
  const edge = await engine.select(
    `SELECT toInt64(quantile(${share})(toUnixTimestamp64Nano(time))) AS edge FROM profiles WHERE tenant = {tenant:String}`,
    { parameters: { tenant } },
  )
  const since = edge.column('edge').bigint(0)
  const isOld = `toUnixTimestamp64Nano(time) < ${since} AND toUnixTimestamp64Nano(received) <= ${received}`
  const bucket = `if(${isOld}, (intDiv(toUnixTimestamp64Nano(time), ${HOUR}), 0), (toUnixTimestamp64Nano(time), toUnixTimestamp64Nano(received)))`
  const by = 'series, attributes, period, overflowed, sets'
  return await engine.select(
    `SELECT ${by}, count() AS profiles, min(time) AS first, max(time) AS last, ` +
      `min(received) AS received_first, max(received) AS received_last, any(p.total) AS total ` +
      `FROM (SELECT series, attributes, period, overflowed, total, ${setsColumn(withSampleSets)}, time, received, ` +
      `${bucket} AS bucket FROM profiles WHERE tenant = {tenant:String}) AS p ` +
      `GROUP BY ${by}, bucket`,
    { parameters: { tenant } },
  )
}

/** The order in which rows refer to each other. */
const SYMBOLS = [
  ['series', 'id, resource, scope, service, type, unit, period_type, period_unit'],
  ['resources', 'id, attribute_keys, attribute_kinds, attribute_values'],
  ['scopes', 'id, attribute_keys, attribute_kinds, attribute_values, name, version'],
  ['attribute_sets', 'id, keys, kinds, values'],
] as const

/** Reads everything that the catalog refers to and does not have. */
export async function loadMissing(engine: ReadEngine, tenant: string, catalog: TenantCatalog): Promise<void> {
  for (const [table, columns] of SYMBOLS) {
    const wanted = [...catalog.missing[table]]
    for (let from = 0; from < wanted.length; from += MAX_IDS) {
      const ids = wanted.slice(from, from + MAX_IDS)
      const values = new Values()
      const block = await engine.select(
        `SELECT ${columns} FROM ${table} WHERE tenant = ${values.text(tenant)} AND id IN ${values.ids(ids)}`,
        { parameters: values.all },
      )
      catalog.addSymbols(table, block)
      for (const id of ids) catalog.missing[table].delete(id)
    }
  }
}
