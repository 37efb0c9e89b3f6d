// Lists the metrics of a tenant.
import { NO_POINT } from '../../store/signals/write-metrics.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import { checkItemSelector, itemsWhere } from './items-where.ts'

/** By the field numbers of Metric. */
export const METRIC_KINDS = {
  5: 'gauge',
  7: 'sum',
  9: 'histogram',
  10: 'exponential-histogram',
  11: 'summary',
} as const
export type MetricKindName = (typeof METRIC_KINDS)[keyof typeof METRIC_KINDS]
export const TEMPORALITIES = ['unspecified', 'delta', 'cumulative'] as const
export type MetricTemporality = (typeof TEMPORALITIES)[number]

/** The properties that must be equal for points to be added up. */
export interface MetricIdentity {
  readonly name: string
  readonly unit: string
  readonly kind: MetricKindName
  readonly temporality: MetricTemporality
  readonly monotonic: boolean
}

interface MetricRow extends MetricIdentity {
  readonly description: string
  /** At most 100, sorted by name. */
  readonly services: readonly string[]
  readonly points: number
  readonly first: bigint
  readonly last: bigint
}

export interface MetricChoice {
  readonly service?: string
  /** Selects names with this prefix. */
  readonly prefix?: string
  /** 1000 unless given. */
  readonly limit?: number
  /** The last name of the previous page. */
  readonly after?: string
}

export interface MetricList {
  /** Sorted by name. */
  readonly metrics: readonly MetricRow[]
  readonly next: string | undefined
}

const MAX_METRICS = 10_000
const MAX_SERVICES = 100

export async function listMetrics(
  context: QueryContext,
  query: Query,
  { service, prefix, limit = 1000, after }: MetricChoice = {},
): Promise<MetricList> {
  checkCount('limit', limit, MAX_METRICS)
  const running = new RunningQuery(context.engine, query)
  await checkItemSelector(running, 'point')
  const values = new Values()
  const conditions = [listedWhere(running, values, service)]
  if (prefix !== undefined) conditions.push(`startsWith(name, ${values.text(prefix)})`)
  if (after !== undefined) conditions.push(`name > ${values.text(after)}`)
  // A page ends with a name, and contains all metrics with that name: the limit counts names.
  const where = conditions.join(' AND ')
  const block = await running.selectLimited(
    'SELECT toString(name) AS of_name, toString(metric_unit) AS unit, metric_kind, temporality, monotonic, ' +
      'toString(any(description)) AS about, ' +
      `arraySort(groupUniqArray(${MAX_SERVICES})(toString(service))) AS services, countIf(bitAnd(flags, 1) = 0) AS points, ` +
      'toUnixTimestamp64Nano(min(time)) AS first, toUnixTimestamp64Nano(max(time)) AS last ' +
      `FROM metric_points WHERE ${where} AND name GLOBAL IN ` +
      `(SELECT name FROM metric_points WHERE ${where} GROUP BY name ORDER BY name LIMIT ${limit + 1}) ` +
      'GROUP BY name, metric_unit, metric_kind, temporality, monotonic ' +
      'ORDER BY of_name, unit, metric_kind, temporality, monotonic',
    values.all,
    'metrics',
  )
  const metrics: MetricRow[] = []
  const names = new Set<string>()
  for (let row = 0; row < block.rows; row++) {
    const name = block.column('of_name').text(row)
    if (!names.has(name) && names.size === limit) return { metrics, next: [...names].at(-1) }
    names.add(name)
    const services = block.column('services')
    metrics.push({
      name,
      unit: block.column('unit').text(row),
      kind: METRIC_KINDS[block.column('metric_kind').number(row) as keyof typeof METRIC_KINDS],
      temporality: TEMPORALITIES[block.column('temporality').number(row)] ?? 'unspecified',
      monotonic: block.column('monotonic').number(row) !== 0,
      description: block.column('about').text(row),
      services: Array.from({ length: services.to(row) - services.from(row) }, (_, k) =>
        services.values.text(services.from(row) + k),
      ),
      points: Number(block.column('points').bigint(row)),
      first: block.column('first').bigint(row),
      last: block.column('last').bigint(row),
    })
  }
  return { metrics, next: undefined }
}

/** Points with a known kind. */
function listedWhere(running: RunningQuery, values: Values, service?: string, from?: bigint): string {
  const kinds = Object.keys(METRIC_KINDS).join(', ')
  return `${itemsWhere(running, values, service, from)} AND point_index != ${NO_POINT} AND metric_kind IN (${kinds})`
}

/** Points with a known kind and a value. */
export function pointsWhere(running: RunningQuery, values: Values, service?: string, from?: bigint): string {
  return `${listedWhere(running, values, service, from)} AND bitAnd(flags, 1) = 0`
}
