// Counts the values in stored data that redaction rules would change. The store returns each value once with its number, and
// the code that redacts requests decides.
import type { Signal } from '@hearth/signals'
import type { ReadEngine, SelectOptions } from '../store/engine.ts'
import { valueOfBytes } from '../store/attribute-text.ts'
import { Redactor } from './redactor.ts'
import type { RedactionPlace, RedactionRule } from './rules.ts'

export interface RedactionDryRunQuery {
  readonly tenant: string
  /** Nanoseconds since 1970. Resources, scopes and the attributes of profiles are selected by the day they were last sent. */
  readonly from: bigint
  readonly to: bigint
  readonly rules: readonly RedactionRule[]
  readonly options: SelectOptions
}

/** One key that a rule would change. */
export interface RedactedKey {
  readonly rule: string
  /** The table: resources, scopes, attribute_sets (of profiles), spans, logs or metric_points. */
  readonly table: string
  /** Empty for the body of a log record. */
  readonly key: string
  /** The number of redactions. A resource, a scope or a set of attributes is stored once, and counts once. */
  readonly count: number
}

export interface RedactionDryRun {
  readonly keys: readonly RedactedKey[]
  /** The number of different values that were checked. */
  readonly values: number
  /** Whether a table has more different values than were checked. The most frequent ones were. */
  readonly isTruncated: boolean
}

/** Different values of one table and place. */
const MAX_VALUES = 200_000

interface Source {
  readonly table: string
  readonly place: RedactionPlace
  /** The signals whose rules apply. */
  readonly signals: readonly Signal[]
  /** Arrays of keys, kinds and values, or an array for one value without a key. */
  readonly columns: readonly [keys: string, kinds: string, values: string]
  readonly isDated: boolean
}

const ALL: readonly Signal[] = ['profiles', 'traces', 'logs', 'metrics']
const OWN = ['attribute_keys', 'attribute_kinds', 'attribute_values'] as const
const nested = (name: string) =>
  [`arrayFlatten(${name}_keys)`, `arrayFlatten(${name}_kinds)`, `arrayFlatten(${name}_values)`] as const
const METADATA = ['metadata_keys', 'metadata_kinds', 'metadata_values'] as const
const BODY = ["['']", '[body_kind]', '[body]'] as const

const SOURCES: readonly Source[] = [
  { table: 'resources', place: 'resource', signals: ALL, columns: OWN, isDated: false },
  { table: 'scopes', place: 'scope', signals: ALL, columns: OWN, isDated: false },
  {
    table: 'attribute_sets',
    place: 'attributes',
    signals: ['profiles'],
    columns: ['keys', 'kinds', 'values'],
    isDated: false,
  },
  { table: 'spans', place: 'attributes', signals: ['traces'], columns: OWN, isDated: true },
  { table: 'spans', place: 'attributes', signals: ['traces'], columns: nested('event_attribute'), isDated: true },
  { table: 'spans', place: 'attributes', signals: ['traces'], columns: nested('link_attribute'), isDated: true },
  { table: 'logs', place: 'attributes', signals: ['logs'], columns: OWN, isDated: true },
  { table: 'logs', place: 'body', signals: ['logs'], columns: BODY, isDated: true },
  { table: 'metric_points', place: 'attributes', signals: ['metrics'], columns: OWN, isDated: true },
  { table: 'metric_points', place: 'attributes', signals: ['metrics'], columns: METADATA, isDated: true },
  {
    table: 'metric_points',
    place: 'attributes',
    signals: ['metrics'],
    columns: nested('exemplar_attribute'),
    isDated: true,
  },
]

export async function dryRunRedaction(engine: ReadEngine, query: RedactionDryRunQuery): Promise<RedactionDryRun> {
  const counts = new Map<string, RedactedKey>()
  let values = 0
  let isTruncated = false
  for (const source of SOURCES) {
    const { rows, isTruncated: hasMore } = await checkSource(engine, query, source, counts)
    values += rows
    isTruncated ||= hasMore
  }
  return { keys: [...counts.values()].toSorted((a, b) => b.count - a.count), values, isTruncated }
}

async function checkSource(
  engine: ReadEngine,
  { tenant, from, to, rules, options }: RedactionDryRunQuery,
  { table, place, signals, columns: [keys, kinds, texts], isDated }: Source,
  counts: Map<string, RedactedKey>,
): Promise<{ readonly rows: number; readonly isTruncated: boolean }> {
  // The rules of any signal apply to rows that all signals share.
  const applying = rules
    .filter(rule => rule.signals?.some(signal => signals.includes(signal)) ?? true)
    .map(rule => ({ ...rule, signals: undefined }))
  const redactor = new Redactor(applying, new Uint8Array(32))
  const redactionFor = () => redactor.for(tenant, signals[0])
  if (redactionFor() === undefined) return { rows: 0, isTruncated: false }
  const range = isDated
    ? 'time >= fromUnixTimestamp64Nano({from:Int64}) AND time < fromUnixTimestamp64Nano({to:Int64})'
    : 'last_seen >= toDate(fromUnixTimestamp64Nano({from:Int64})) AND {to:Int64} > 0'
  const block = await engine.select(
    "SELECT CAST(each.1, 'String') AS key, each.2 AS kind, each.3 AS value, count() AS uses FROM " +
      `(SELECT arrayJoin(arrayZip(${keys}, ${kinds}, ${texts})) AS each FROM ${table}${isDated ? '' : ' FINAL'} ` +
      `WHERE tenant = {tenant:String} AND ${range}) GROUP BY key, kind, value ORDER BY uses DESC LIMIT ${MAX_VALUES}`,
    { ...options, parameters: { tenant, from, to } },
  )
  const [key, kind, value, uses] = ['key', 'kind', 'value', 'uses'].map(name => block.column(name))
  for (let row = 0; row < block.rows; row++) {
    const redaction = redactionFor()
    if (redaction === undefined) break
    const name = key.text(row)
    const content = valueOfBytes(kind.number(row), value.bytes(row))
    if (place === 'body') redaction.body(content)
    else redaction.attribute({ key: name, value: content }, place)
    for (const [rule, count] of redaction.counts) {
      const id = JSON.stringify([rule, table, name])
      const before = counts.get(id)?.count ?? 0
      counts.set(id, { rule, table, key: name, count: before + count * Number(uses.bigint(row)) })
    }
  }
  return { rows: block.rows, isTruncated: block.rows === MAX_VALUES }
}
