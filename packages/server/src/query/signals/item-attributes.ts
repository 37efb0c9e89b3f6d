// Attributes of spans, log records and data points, with those of their resources and scopes, and their values, for
// completion in the UI. They come from a sample of the range, because lists of attributes have no table of their own.
import { compareTexts } from '@hearth/profile'
import { attributeKey } from '../select/attribute-key.ts'
import { ValuePool } from '../select/attribute-values.ts'
import type { AttributeValueRow } from '../profiles/catalog.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { SignalItemKind } from './items-where.ts'
import { TABLES, checkItemSelector, itemsWhere } from './items-where.ts'

export interface ItemAttributeChoice {
  readonly service?: string
  readonly prefix?: string
  /** 1,000 unless given. */
  readonly limit?: number
}

type ItemLevel = 'resource' | 'scope' | 'item'

export interface ItemAttributeRow {
  readonly key: string
  readonly levels: readonly ItemLevel[]
}

export interface ItemList<Row> {
  readonly rows: readonly Row[]
  /** Whether there are more, or may be more in items that were not read. */
  readonly truncated: boolean
}

/** The number of latest items to read: about a second of work. */
const MAX_ITEMS = 200_000
const MAX_LISTED = 10_000

export async function itemAttributes(
  context: QueryContext,
  query: Query,
  kind: SignalItemKind,
  { service, prefix = '', limit = 1000 }: ItemAttributeChoice = {},
): Promise<ItemList<ItemAttributeRow>> {
  checkCount('limit', limit, MAX_LISTED)
  const running = new RunningQuery(context.engine, query)
  await checkItemSelector(running, kind)
  const levels = new Map<string, ItemLevel[]>()
  let isCut = false
  for (const level of ['resource', 'scope', 'item'] as const) {
    const values = new Values()
    const from = holders(running, values, kind, service, level)
    const block = await running.select(
      `SELECT DISTINCT toString(arrayJoin(attribute_keys)) AS key FROM (${from}) ` +
        `WHERE startsWith(key, ${values.text(prefix)}) ORDER BY key LIMIT ${limit + 1}`,
      values.all,
    )
    isCut ||= block.rows > limit
    for (let row = 0; row < block.rows; row++) {
      const key = block.column('key').text(row)
      levels.set(key, [...(levels.get(key) ?? []), level])
    }
  }
  const sorted = [...levels].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = sorted.slice(0, limit).map(([key, found]) => ({ key, levels: found }))
  return { rows, truncated: isCut || sorted.length > limit }
}

export async function itemAttributeValues(
  context: QueryContext,
  query: Query,
  kind: SignalItemKind,
  name: string,
  { service, prefix = '', limit = 1000 }: ItemAttributeChoice = {},
): Promise<ItemList<AttributeValueRow>> {
  checkCount('limit', limit, MAX_LISTED)
  const running = new RunningQuery(context.engine, query)
  await checkItemSelector(running, kind)
  const { key, level, builtIn } = attributeKey(name)
  if (builtIn !== undefined || level === 'profile' || level === 'sample') {
    throw new QueryError('argument', `cannot list values of ${name}`)
  }
  const pool = new ValuePool()
  const found = new Map<string, AttributeValueRow>()
  let isCut = false
  for (const at of ['resource', 'scope', 'item'] as const) {
    if (level !== undefined && level !== at) continue
    const values = new Values()
    const from = holders(running, values, kind, service, at)
    const place = `indexOf(attribute_keys, ${values.text(key)})`
    const block = await running.select(
      `SELECT DISTINCT attribute_kinds[${place}] AS kind, attribute_values[${place}] AS value FROM (${from}) ` +
        `WHERE ${place} != 0 AND startsWith(value, ${values.text(prefix)}) ORDER BY value LIMIT ${limit + 1}`,
      values.all,
    )
    isCut ||= block.rows > limit
    for (let row = 0; row < block.rows; row++) {
      const known = pool.add(block.column('kind').number(row), block.column('value').bytes(row))
      found.set(`${known.kind} ${known.text}`, { value: known.value, text: known.text })
    }
  }
  const sorted = [...found.values()].sort((a, b) => compareTexts(a.text, b.text))
  return { rows: sorted.slice(0, limit), truncated: isCut || sorted.length > limit }
}

/** A statement for rows with `attribute_keys`, `attribute_kinds` and `attribute_values`. */
function holders(
  running: RunningQuery,
  values: Values,
  kind: SignalItemKind,
  service: string | undefined,
  level: ItemLevel,
): string {
  const where = itemsWhere(running, values, service)
  const columns = 'attribute_keys, attribute_kinds, attribute_values'
  if (level === 'item') {
    return `SELECT ${columns} FROM ${TABLES[kind]} WHERE ${where} ORDER BY time DESC LIMIT ${MAX_ITEMS}`
  }
  const ids = `SELECT DISTINCT ${level} FROM ${TABLES[kind]} WHERE ${where}`
  return `SELECT ${columns} FROM ${level}s WHERE tenant = ${values.text(running.tenant)} AND id GLOBAL IN (${ids})`
}
