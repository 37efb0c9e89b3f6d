// Label names in Pyroscope: letters, digits and underscores. Attribute names contain dots and more, so one label can
// represent several attributes.
//
//   service.name    ──►  service_name         service_name="shop" finds both service.name="shop" and service_name="shop"
//   k8s.pod.name    ──►  k8s_pod_name
import { QueryError } from '../../../query/query-error.ts'
import { RunningQuery } from '../../../query/query.ts'
import type { Query } from '../../../query/query.ts'
import { BUILT_IN_KEYS } from '../../../query/selector/selector.ts'
import { Values } from '../../../query/statement.ts'
import type { ReadEngine } from '../../../store/engine.ts'
import { LABEL_PREFIX, PYROSCOPE_ATTRIBUTES } from '../../series-labels.ts'

/** Labels that name the type of a profile. They are not attributes. */
export const TYPE_LABELS = [
  '__profile_type__',
  '__name__',
  '__type__',
  '__unit__',
  '__period_type__',
  '__period_unit__',
] as const
export type TypeLabel = (typeof TYPE_LABELS)[number]

export function isTypeLabel(label: string): label is TypeLabel {
  return TYPE_LABELS.some(each => each === label)
}

const HIDDEN: ReadonlySet<string> = new Set(Object.values(PYROSCOPE_ATTRIBUTES))
/** Attributes that keep the contents of a pprof file for export, such as the ids of thousands of locations. */
const HIDDEN_FAMILIES = ['pprof.', 'hearth.pprof.']

/** The label of an attribute. Undefined for attributes about how a profile was sent. */
export function labelName(key: string): string | undefined {
  if (HIDDEN.has(key) || HIDDEN_FAMILIES.some(prefix => key.startsWith(prefix))) return undefined
  if (key.startsWith(LABEL_PREFIX)) return key.slice(LABEL_PREFIX.length)
  const name = key.replaceAll(/[^A-Za-z0-9_]/gu, '_')
  return /^[0-9]/.test(name) ? `_${name}` : name
}

/** The attributes that each label represents, with the label's own name first. */
export type Originals = ReadonlyMap<string, readonly string[]>

/** Looks at the names of all attributes of the tenant's profiles, independent of the query's selector. */
export async function originalsOf(engine: ReadEngine, query: Query, labels: Iterable<string>): Promise<Originals> {
  const found = new Map<string, string[]>()
  for (const label of labels) if (!isTypeLabel(label)) found.set(label, [ownKey(label)])
  // Only a label with an underscore can differ from the attribute's name.
  const looked = [...found.keys()].filter(label => label.includes('_') && !label.startsWith('__'))
  if (looked.length === 0) return found
  const wanted = [...new Set([...looked, ...looked.map(label => label.replace(/^_(?=[0-9])/, ''))])].sort()
  const running = new RunningQuery(engine, { ...query, selector: '' })
  const catalog = await running.catalog()
  const lists =
    catalog?.hasSampleSets === true
      ? [...catalog.attributeKeys()]
      : await Promise.all(TABLES.map(([table, column]) => keysIn(running, table, column, wanted)))
  for (const key of [...new Set(lists.flat())].sort()) {
    const originals = found.get(labelName(key) ?? '')
    if (originals !== undefined && !originals.includes(key) && !BUILT_IN_KEYS.some(each => each === key))
      originals.push(key)
  }
  return found
}

const TABLES = [
  ['resources', 'attribute_keys'],
  ['scopes', 'attribute_keys'],
  ['attribute_sets', 'keys'],
] as const
/** The maximum number of attributes for the labels of one selector. */
const MAX_KEYS = 1000

/** The keys of a table whose labels are among the names. */
async function keysIn(
  running: RunningQuery,
  table: string,
  column: string,
  wanted: readonly string[],
): Promise<string[]> {
  const values = new Values()
  const block = await running.selectSymbols(
    table,
    `SELECT DISTINCT toString(arrayJoin(${column})) AS key FROM ${table} WHERE tenant = ${values.text(running.tenant)} ` +
      `AND replaceRegexpAll(key, '[^A-Za-z0-9_]', '_') IN ${values.add('Array(String)', wanted)} ` +
      `ORDER BY key LIMIT ${MAX_KEYS + 1}`,
    values.all,
  )
  if (block.rows > MAX_KEYS)
    throw new QueryError('too-many-rows', `more than ${MAX_KEYS} attributes have the same labels`)
  return Array.from({ length: block.rows }, (_, row) => block.column('key').text(row))
}

/** The attribute in which a label is stored unchanged. */
function ownKey(label: string): string {
  return label.startsWith('__') ? LABEL_PREFIX + label : label
}
