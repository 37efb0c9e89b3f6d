// The catalogue of a query's profiles: types, services, attributes and their values.
import type { AnyValue } from '@hearth/profile'
import { compareTexts } from '@hearth/profile'
import { attributesByLevel, keysIn, valuesIn } from '../catalog/present-attributes.ts'
import { presentProfiles } from '../catalog/present-profiles.ts'
import type { AttributeKey } from '../select/attribute-key.ts'
import { attributeKey, looksAt } from '../select/attribute-key.ts'
import { ValuePool } from '../select/attribute-values.ts'
import type { Temporality } from '../select/temporality-key.ts'
import { profilesWhere } from '../select/profiles-where.ts'
import { unknownCursor } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import type { Selection } from '../select/selection.ts'
import { resolve } from '../select/selection.ts'
import type { Level } from '../selector/selector.ts'
import { LEVELS } from '../selector/selector.ts'
import type { SeriesRow } from '../select/series-rows.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import { SINGLE_KINDS } from '../select/matcher-sql.ts'

export interface ProfileTypeRow {
  readonly type: string
  readonly unit: string
  readonly periodType: string
  readonly periodUnit: string
  readonly temporality: Temporality
  readonly profiles: number
  readonly series: number
  /** The times of the first and the last profile. */
  readonly first: bigint
  readonly last: bigint
}

export interface ServiceRow {
  /** Empty for resources without one. */
  readonly service: string
  readonly profiles: number
  /** `type:unit`, sorted. */
  readonly types: readonly string[]
  /** The times of the first and the last profile. */
  readonly first: bigint
  readonly last: bigint
}

export interface Listed<Row> {
  readonly rows: readonly Row[]
  /** Whether there are more rows than the limit. */
  readonly truncated: boolean
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined
}

export interface ListChoice {
  readonly prefix?: string
  /** 1,000 unless given. */
  readonly limit?: number
  /** `next` of the previous page. The page continues after it, even if rows were added in between. */
  readonly after?: string
}

export interface KeyChoice extends ListChoice {
  /** Whether to list only attributes with scalar values: no bytes, lists and maps. */
  readonly scalar?: boolean
}

export interface AttributeKeyRow {
  readonly key: string
  /** The levels at which the attribute occurs. */
  readonly levels: readonly Level[]
}

export interface AttributeValueRow {
  readonly value: AnyValue
  /** The text that prefixes and selectors are compared with. */
  readonly text: string
}

const DEFAULT_LIMIT = 1_000
const MAX_LISTED = 100_000

export interface Present {
  readonly row: SeriesRow
  readonly temporality: Temporality
  readonly profiles: number
  readonly first: bigint
  readonly last: bigint
}

/** Series that have selected profiles, once for each temporality. */
export async function present(context: QueryContext, selection: Selection): Promise<Present[]> {
  const held = await presentProfiles(selection, { ofSamples: true })
  const catalog = held && (await selection.running.catalog())
  if (held !== undefined && catalog !== undefined) {
    return held.map(({ form, ...each }) => ({
      ...each,
      temporality: catalog.temporalities.get(form.attributes) ?? 'unspecified',
    }))
  }
  const values = new Values()
  const block = await selection.running.selectLimited(
    'SELECT series, attributes, count() AS profiles, min(time) AS first, max(time) AS last FROM profiles ' +
      `WHERE ${profilesWhere(selection, values)} GROUP BY series, attributes`,
    values.all,
    'sets of profile attributes',
  )
  const sets = new Set<bigint>()
  for (let row = 0; row < block.rows; row++) sets.add(block.column('attributes').bigint(row))
  const temporalities = await context.temporalities.of(selection.running, sets)
  const byId = new Map(selection.series.map(row => [row.id, row]))
  const found: Present[] = []
  for (let row = 0; row < block.rows; row++) {
    found.push({
      row: byId.get(block.column('series').bigint(row))!,
      temporality: temporalities.get(block.column('attributes').bigint(row)) ?? 'unspecified',
      profiles: block.column('profiles').number(row),
      first: block.column('first').bigint(row),
      last: block.column('last').bigint(row),
    })
  }
  return found
}

/** Sorted by type, unit and the other fields. */
export async function profileTypes(context: QueryContext, query: Query): Promise<readonly ProfileTypeRow[]> {
  const selection = await resolve(new RunningQuery(context.engine, query))
  const types = new Map<string, ProfileTypeRow & { readonly ids: Set<bigint> }>()
  for (const { row, temporality, profiles, first, last } of await present(context, selection)) {
    const { type, unit, periodType, periodUnit } = row
    const key = JSON.stringify([type, unit, periodType, periodUnit, temporality])
    const known = types.get(key)
    const ids = (known?.ids ?? new Set()).add(row.id)
    types.set(key, {
      type,
      unit,
      periodType,
      periodUnit,
      temporality,
      ids,
      profiles: (known?.profiles ?? 0) + profiles,
      series: ids.size,
      first: known === undefined || first < known.first ? first : known.first,
      last: known === undefined || last > known.last ? last : known.last,
    })
  }
  const sorted = [...types].sort(([a], [b]) => compareTexts(a, b))
  return sorted.map(([, { ids: _, ...row }]) => row)
}

export async function services(context: QueryContext, query: Query): Promise<readonly ServiceRow[]> {
  const selection = await resolve(new RunningQuery(context.engine, query))
  const found = new Map<string, { profiles: number; first: bigint; last: bigint; readonly types: Set<string> }>()
  for (const { row, profiles, first, last } of await present(context, selection)) {
    const service = found.get(row.service) ?? { profiles: 0, first, last, types: new Set() }
    service.profiles += profiles
    if (first < service.first) service.first = first
    if (last > service.last) service.last = last
    service.types.add(`${row.type}:${row.unit}`)
    found.set(row.service, service)
  }
  return [...found]
    .sort(([a], [b]) => compareTexts(a, b))
    .map(([service, { types, ...row }]) => ({ service, ...row, types: [...types].sort() }))
}

export async function attributeKeys(
  context: QueryContext,
  query: Query,
  { prefix = '', limit = DEFAULT_LIMIT, after, scalar = false }: KeyChoice = {},
): Promise<Listed<AttributeKeyRow>> {
  checkCount('limit', limit, MAX_LISTED)
  const running = new RunningQuery(context.engine, query)
  const selection = await resolve(running)
  const levels = new Map<string, Set<Level>>()
  const held = await attributesByLevel(selection)
  for (const [level, all] of held ?? []) {
    for (const key of keysIn(all, scalar)) {
      if (!key.startsWith(prefix) || (after !== undefined && compareBytes(key, after) <= 0)) continue
      levels.set(key, (levels.get(key) ?? new Set()).add(level))
    }
  }
  for (const level of held === undefined ? LEVELS : []) {
    const values = new Values()
    const { table, keys: all, ids } = holdersOf(selection, level, values)
    const kinds = all === 'keys' ? 'kinds' : 'attribute_kinds'
    const keys = scalar ? `arrayFilter((key, kind) -> kind IN (${SINGLE_KINDS}), ${all}, ${kinds})` : all
    const block = await running.select(
      `SELECT DISTINCT toString(arrayJoin(${keys})) AS key FROM ${table} WHERE tenant = ${values.text(running.tenant)} ` +
        `AND id GLOBAL IN (${ids}) AND startsWith(key, ${values.text(prefix)})` +
        `${after === undefined ? '' : ` AND key > ${values.text(after)}`} ORDER BY key LIMIT ${limit + 1}`,
      values.all,
    )
    for (let row = 0; row < block.rows; row++) {
      const key = block.column('key').text(row)
      levels.set(key, (levels.get(key) ?? new Set()).add(level))
    }
  }
  const sorted = [...levels].sort(([a], [b]) => compareBytes(a, b))
  const rows = sorted.slice(0, limit).map(([key, found]) => ({ key, levels: [...found] }))
  const truncated = sorted.length > limit
  return { rows, truncated, next: truncated ? rows.at(-1)?.key : undefined }
}

/** Distinct values of an attribute, named as in selectors, in the engine's byte order. */
export async function attributeValues(
  context: QueryContext,
  query: Query,
  name: string,
  { prefix = '', limit = DEFAULT_LIMIT, after }: ListChoice = {},
): Promise<Listed<AttributeValueRow>> {
  checkCount('limit', limit, MAX_LISTED)
  const running = new RunningQuery(context.engine, query)
  const selection = await resolve(running)
  const key = attributeKey(name)
  const pool = new ValuePool()
  const last = after === undefined ? undefined : lastValue(after)
  // The cursor is the value's bytes and kind as hex, in the engine's order.
  const found = new Map<string, AttributeValueRow>()
  const add = (kind: number, bytes: Uint8Array): void => {
    const known = pool.add(kind, bytes)
    found.set(printValue(kind, bytes), { value: known.value, text: known.text })
  }
  const held = await attributesByLevel(selection)
  const start = Buffer.from(prefix)
  for (const [level, all] of held ?? []) {
    if (!looksAt(key, level)) continue
    for (const [kind, bytes] of valuesIn(all, key)) {
      const isBeyond = after === undefined || printValue(kind, bytes) > after
      if (isBeyond && start.equals(bytes.subarray(0, start.length))) add(kind, bytes)
    }
  }
  for (const level of held === undefined ? LEVELS : []) {
    if (!looksAt(key, level)) continue
    const values = new Values()
    const { table, ids } = holdersOf(selection, level, values)
    const { kind, value } = valueColumns(key, level, values)
    const beyond =
      last && ` AND (value, kind) > (${values.add('String', last.value)}, ${values.add('UInt8', last.kind)})`
    const block = await running.select(
      `SELECT DISTINCT ${kind} AS kind, ${value} AS value FROM ${table} WHERE tenant = ${values.text(running.tenant)} ` +
        `AND id GLOBAL IN (${ids}) AND kind != 0 AND startsWith(value, ${values.text(prefix)})${beyond ?? ''} ` +
        `ORDER BY value, kind LIMIT ${limit + 1}`,
      values.all,
    )
    for (let row = 0; row < block.rows; row++) add(block.column('kind').number(row), block.column('value').bytes(row))
  }
  const sorted = [...found].sort(([a], [b]) => compareTexts(a, b))
  const shown = sorted.slice(0, limit)
  const truncated = sorted.length > limit
  return { rows: shown.map(([, row]) => row), truncated, next: truncated ? shown.at(-1)?.[0] : undefined }
}

/** `-` sorts before every digit, so a value sorts before values that it is a prefix of. */
function printValue(kind: number, value: Uint8Array): string {
  return `${Buffer.from(value).toString('hex')}-${kind.toString(16).padStart(2, '0')}`
}

function lastValue(cursor: string): { readonly value: Uint8Array; readonly kind: number } {
  const match = /^((?:[0-9a-f]{2})*)-([0-9a-f]{2})$/.exec(cursor)
  if (match === null) throw unknownCursor(cursor)
  return { value: new Uint8Array(Buffer.from(match[1], 'hex')), kind: Number.parseInt(match[2], 16) }
}

interface Holders {
  readonly table: string
  readonly keys: string
  /** A statement for the ids that the selected profiles have. */
  readonly ids: string
}

function holdersOf(selection: Selection, level: Level, values: Values): Holders {
  const where = profilesWhere(selection, values)
  const from = (column: string) => `SELECT DISTINCT ${column} FROM profiles WHERE ${where}`
  switch (level) {
    case 'resource':
      return { table: 'resources', keys: 'attribute_keys', ids: from('resource') }
    case 'scope':
      return { table: 'scopes', keys: 'attribute_keys', ids: from('scope') }
    case 'profile':
      return { table: 'attribute_sets', keys: 'keys', ids: from('attributes') }
    case 'sample':
      return { table: 'attribute_sets', keys: 'keys', ids: from('arrayJoin(arrayDistinct(sample_attributes))') }
  }
}

function valueColumns(
  key: AttributeKey,
  level: Level,
  values: Values,
): { readonly kind: string; readonly value: string } {
  if (key.builtIn !== undefined) {
    const column = key.builtIn === 'scope.name' ? 'name' : 'version'
    return { kind: `toUInt8(if(${column} = '', 0, 1))`, value: column }
  }
  const name = values.text(key.key)
  const [keys, kinds, texts] =
    level === 'resource' || level === 'scope'
      ? ['attribute_keys', 'attribute_kinds', 'attribute_values']
      : ['keys', 'kinds', 'values']
  return { kind: `${kinds}[indexOf(${keys}, ${name})]`, value: `${texts}[indexOf(${keys}, ${name})]` }
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
