// Rows of data points in a statement: the metric, the stream of each point, and its step.
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import type { AttributeKey } from '../select/attribute-key.ts'
import { Values } from '../statement.ts'
import type { MetricIdentity, MetricKindName, MetricTemporality } from './metric-list.ts'
import { METRIC_KINDS, TEMPORALITIES, pointsWhere } from './metric-list.ts'
import { ownLabels } from './point-groups.ts'

export interface MetricChosen {
  readonly name: string
  /** Selects one of several metrics with the name. */
  readonly unit?: string
  readonly kind?: MetricKindName
  readonly temporality?: MetricTemporality
  readonly service?: string
}

export interface FoundMetric extends MetricIdentity {
  readonly description: string
}

/** Throws QueryError if there is none, or if several differ in ways that prevent adding them up. */
export async function findMetric(running: RunningQuery, chosen: MetricChosen): Promise<FoundMetric> {
  const values = new Values()
  const conditions = [pointsWhere(running, values, chosen.service), `name = ${values.text(chosen.name)}`]
  if (chosen.unit !== undefined) conditions.push(`metric_unit = ${values.text(chosen.unit)}`)
  if (chosen.kind !== undefined) conditions.push(`metric_kind = ${values.add('UInt8', kindNumber(chosen.kind))}`)
  if (chosen.temporality !== undefined) {
    conditions.push(`temporality = ${values.add('Int32', TEMPORALITIES.indexOf(chosen.temporality))}`)
  }
  const block = await running.select(
    'SELECT toString(metric_unit) AS unit, metric_kind, temporality, monotonic, toString(any(description)) AS about ' +
      `FROM metric_points WHERE ${conditions.join(' AND ')} GROUP BY metric_unit, metric_kind, temporality, monotonic ` +
      'ORDER BY unit, metric_kind, temporality, monotonic LIMIT 20',
    values.all,
  )
  const found = Array.from({ length: block.rows }, (_, row) => ({
    name: chosen.name,
    unit: block.column('unit').text(row),
    kind: METRIC_KINDS[block.column('metric_kind').number(row) as keyof typeof METRIC_KINDS],
    temporality: TEMPORALITIES[block.column('temporality').number(row)] ?? 'unspecified',
    monotonic: block.column('monotonic').number(row) !== 0,
    description: block.column('about').text(row),
  }))
  const [first] = found
  const name = JSON.stringify(chosen.name.slice(0, 120))
  if (first === undefined) throw new QueryError('not-found', `no points of the metric ${name} match`)
  const several = (of: (metric: FoundMetric) => string): string[] => [...new Set(found.map(of))].sort()
  const kinds = several(({ kind, monotonic }) => (kind === 'sum' ? `${monotonic ? '' : 'non-'}monotonic sum` : kind))
  if (kinds.length > 1) throw new QueryError('mixed-types', `${name} is of several kinds: ${kinds.join(', ')}`)
  const units = several(({ unit }) => JSON.stringify(unit))
  if (units.length > 1)
    throw new QueryError('mixed-units', `${name} is in several units: ${units.join(', ')}; name one`)
  const temporalities = several(({ temporality }) => temporality)
  if (temporalities.length > 1) {
    const message = `${name} has several temporalities: ${temporalities.join(', ')}; select one`
    throw new QueryError('mixed-temporality', message)
  }
  return first
}

function kindNumber(kind: MetricKindName): number {
  return Number(Object.entries(METRIC_KINDS).find(([, name]) => name === kind)?.[0] ?? 0)
}

/**
 * One stream of points: a resource, a scope and a set of attributes. Attributes are sorted, because senders may reorder
 * them.
 */
const STREAM =
  'sipHash64(resource, scope, arrayStringConcat(arraySort(arrayMap((k, t, v) -> ' +
  "concat(toString(length(k)), ' ', k, toString(t), ' ', toString(length(v)), ' ', v), " +
  "attribute_keys, attribute_kinds, attribute_values)), ','))"

/** `step_number` is -1 for points before the range, which are needed to compute increases. */
export function pointRows(
  running: RunningQuery,
  values: Values,
  { name, unit, kind, temporality, monotonic }: MetricIdentity,
  options: {
    readonly service: string | undefined
    readonly keys: readonly AttributeKey[]
    readonly step: bigint
    readonly lookBack: bigint
    readonly columns: readonly string[]
  },
): string {
  const { service, keys, step, lookBack, columns } = options
  const from = running.from > lookBack ? running.from - lookBack : 0n
  const at = 'toUnixTimestamp64Nano(time)'
  const begin = values.add('Int64', running.from)
  const where = [
    pointsWhere(running, values, service, from),
    `name = ${values.text(name)}`,
    `metric_unit = ${values.text(unit)}`,
    `metric_kind = ${values.add('UInt8', kindNumber(kind))}`,
    `temporality = ${values.add('Int32', TEMPORALITIES.indexOf(temporality))}`,
    `monotonic = ${values.add('UInt8', monotonic ? 1 : 0)}`,
  ].join(' AND ')
  return (
    `SELECT ${STREAM} AS stream, ${at} AS at, received, if(at < ${begin}, toInt64(-1), ` +
    `intDiv(at - ${begin}, ${values.add('Int64', step)})) AS step_number, resource, scope, ` +
    `${ownLabels(values, keys)} AS labels, ${columns.join(', ')} FROM metric_points WHERE ${where}`
  )
}
