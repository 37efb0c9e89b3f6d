// Attribute values by the ids of resources, scopes and attribute sets.
import type { AnyValue } from '@hearth/profile'
import { ValueKind } from '@hearth/profile'
import { valueOfBytes } from '../../store/attribute-text.ts'
import type { HeldAttributes, HeldScope } from '../catalog/held-attributes.ts'
import { NO_ATTRIBUTES } from '../catalog/held-attributes.ts'
import type { AttributeKey } from './attribute-key.ts'
import { resourceAttributes } from './attribute-columns.ts'
import { looksAt } from './attribute-key.ts'
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import type { Block } from '../../store/native/block.ts'
import type { SeriesRow } from './series-rows.ts'
import { Values } from '../statement.ts'

/** A value, shared by everything that has an equal one. */
export interface KnownValue {
  readonly kind: number
  readonly text: string
  readonly value: AnyValue
}

/** Returns the same object for equal values. */
export class ValuePool {
  readonly #values = new Map<string, KnownValue>()

  add(kind: number, bytes: Uint8Array): KnownValue {
    const text = kind === ValueKind.bytes ? Buffer.from(bytes).toString('base64') : Buffer.from(bytes).toString('utf8')
    const key = `${kind} ${text}`
    let known = this.#values.get(key)
    if (known === undefined) this.#values.set(key, (known = { kind, text, value: valueOfBytes(kind, bytes) }))
    return known
  }
}

export type ValuesById = ReadonlyMap<bigint, KnownValue>

/** The values of a key in resources of profiles. */
export async function resourceValues(
  running: RunningQuery,
  key: AttributeKey,
  series: readonly SeriesRow[],
  pool: ValuePool,
): Promise<ValuesById> {
  if (!looksAt(key, 'resource')) return new Map()
  const catalog = await running.catalog()
  if (catalog === undefined) return await storedResourceValues(running, key, series, pool)
  return valuesOf(
    series.map(row => [row.resource, catalog.resources.get(row.resource)]),
    key.key,
    pool,
  )
}

/** The same from the store, for resources of any signal: the catalog has those of profiles only. */
export async function storedResourceValues(
  running: RunningQuery,
  key: AttributeKey,
  series: readonly Pick<SeriesRow, 'resource'>[],
  pool: ValuePool,
): Promise<ValuesById> {
  if (!looksAt(key, 'resource')) return new Map()
  const values = new Values()
  const ids = values.ids(new Set(series.map(row => row.resource)))
  const name = values.text(key.key)
  const { keys } = resourceAttributes(key)
  const block = await running.selectSymbols(
    'resources',
    `SELECT id, attribute_kinds[indexOf(${keys}, ${name})] AS kind, ` +
      `attribute_values[indexOf(${keys}, ${name})] AS value FROM resources ` +
      `WHERE tenant = ${values.text(running.tenant)} AND id IN ${ids} AND has(${keys}, ${name})`,
    values.all,
  )
  return valuesIn(block, pool)
}

/** The values of a key in scopes of profiles. */
export async function scopeValues(
  running: RunningQuery,
  key: AttributeKey,
  series: readonly SeriesRow[],
  pool: ValuePool,
): Promise<ValuesById> {
  if (!looksAt(key, 'scope')) return new Map()
  const catalog = await running.catalog()
  if (catalog === undefined) return await storedScopeValues(running, key, series, pool)
  const scopes = series.map(row => [row.scope, catalog.scopes.get(row.scope)] as const)
  return valuesOf(
    key.builtIn === undefined ? scopes : scopes.map(([id, scope]) => [id, named(key, scope)]),
    key.key,
    pool,
  )
}

/** The same from the store, for scopes of any signal. */
export async function storedScopeValues(
  running: RunningQuery,
  key: AttributeKey,
  series: readonly Pick<SeriesRow, 'scope'>[],
  pool: ValuePool,
): Promise<ValuesById> {
  if (!looksAt(key, 'scope')) return new Map()
  const values = new Values()
  const ids = values.ids(new Set(series.map(row => row.scope)))
  const where = `tenant = ${values.text(running.tenant)} AND id IN ${ids}`
  if (key.builtIn !== undefined) {
    const column = key.builtIn === 'scope.name' ? 'name' : 'version'
    const block = await running.selectSymbols(
      'scopes',
      `SELECT id, toUInt8(${ValueKind.string}) AS kind, ${column} AS value FROM scopes WHERE ${where} AND ${column} != ''`,
      values.all,
    )
    return valuesIn(block, pool)
  }
  const name = values.text(key.key)
  const block = await running.selectSymbols(
    'scopes',
    `SELECT id, attribute_kinds[indexOf(attribute_keys, ${name})] AS kind, ` +
      `attribute_values[indexOf(attribute_keys, ${name})] AS value FROM scopes WHERE ${where} AND has(attribute_keys, ${name})`,
    values.all,
  )
  return valuesIn(block, pool)
}

/** The maximum number of attribute sets that one key can distinguish: a statement of 2 MB. */
const MAX_SETS = 100_000

/**
 * The values of a key in every attribute set of the tenant, because the sets of the samples are not known beforehand.
 */
export async function setValues(running: RunningQuery, key: AttributeKey, pool: ValuePool): Promise<ValuesById> {
  if (!looksAt(key, 'profile') && !looksAt(key, 'sample')) return new Map()
  const catalog = await running.catalog()
  if (catalog?.hasSampleSets === true) return valuesOf(catalog.setsWith([key.key]), key.key, pool)
  const values = new Values()
  const name = values.text(key.key)
  const block = await running.selectSymbols(
    'attribute_sets',
    `SELECT id, kinds[indexOf(keys, ${name})] AS kind, values[indexOf(keys, ${name})] AS value FROM attribute_sets ` +
      `WHERE tenant = ${values.text(running.tenant)} AND has(keys, ${name}) LIMIT 1 BY id LIMIT ${MAX_SETS + 1}`,
    values.all,
  )
  if (block.rows > MAX_SETS) {
    throw new QueryError('too-many-rows', `more than ${MAX_SETS} attribute sets contain ${key.name}`)
  }
  return valuesIn(block, pool)
}

function valuesIn(block: Block, pool: ValuePool): ValuesById {
  const found = new Map<bigint, KnownValue>()
  for (let row = 0; row < block.rows; row++) {
    const value = pool.add(block.column('kind').number(row), block.column('value').bytes(row))
    found.set(block.column('id').bigint(row), value)
  }
  return found
}

/** The first value of the key in each of the attributes. */
function valuesOf(
  all: Iterable<readonly [id: bigint, attributes: HeldAttributes | undefined]>,
  key: string,
  pool: ValuePool,
): ValuesById {
  const found = new Map<bigint, KnownValue>()
  for (const [id, attributes] of all) {
    const at = attributes?.keys.indexOf(key) ?? -1
    if (attributes !== undefined && at >= 0) found.set(id, pool.add(attributes.kinds[at], attributes.values[at]))
  }
  return found
}

/** The name or version of a scope as an attribute. Empty texts are no values. */
function named({ key, builtIn }: AttributeKey, scope: HeldScope | undefined): HeldAttributes {
  const text = (builtIn === 'scope.name' ? scope?.name : scope?.version) ?? ''
  return text === '' ? NO_ATTRIBUTES : { keys: [key], kinds: [ValueKind.string], values: [Buffer.from(text)] }
}
