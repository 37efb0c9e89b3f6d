// The tasks of the monitor in query threads.
import type { AnyValue, EntryHistogram } from '@hearth/profile'
import { entryHistograms } from '@hearth/profile'
import type { RangesComparison } from '../query/compare/compare-ranges.ts'
import { compareRanges } from '../query/compare/compare-ranges.ts'
import type { ServiceVersion } from '../query/compare/service-versions.ts'
import { serviceVersions } from '../query/compare/service-versions.ts'
import type { QueryContext } from '../query/query-context.ts'
import type { QueryLimits } from '../query/query.ts'
import { RunningQuery } from '../query/query.ts'
import { operationRequests } from '../query/ledger/operation-requests.ts'
import { QueryError } from '../query/query-error.ts'
import { printText } from '../query/selector/print-key.ts'
import { seriesTotals } from '../query/series/series-totals.ts'
import { itemsWhere } from '../query/signals/items-where.ts'
import { metricSeries } from '../query/signals/metric-series.ts'
import { Values } from '../query/statement.ts'
import { top } from '../query/trees/top.ts'
import type { ComparedRange } from './findings/due-comparisons.ts'
import { WARM_UP } from './findings/due-comparisons.ts'

export type MonitorTasks = typeof monitorTasks

interface OfTenant {
  readonly tenant: string
  readonly limits?: QueryLimits
}

export interface RangeTask extends OfTenant {
  readonly from: bigint
  readonly to: bigint
}

async function monitorVersions(queries: QueryContext, task: RangeTask, signal: AbortSignal): Promise<ServiceVersion[]> {
  return serviceVersions(queries, { ...task, signal })
}

export interface CompareTask extends OfTenant {
  readonly before: ComparedRange
  readonly after: ComparedRange
  readonly maxRate: number
  readonly maxRows?: number
}

export interface ComparedTask extends RangesComparison {
  /** Ids of traces for each found change, in hex. */
  readonly traces: readonly (readonly string[])[]
}

const EXAMPLE_TRACES = 3

async function monitorCompare(queries: QueryContext, task: CompareTask, signal: AbortSignal): Promise<ComparedTask> {
  const { tenant, before, after, maxRate, maxRows = 200, limits } = task
  const common = { tenant, signal, ...(limits === undefined ? {} : { limits }) }
  const choice = { maxRate, maxRows, warmUp: WARM_UP }
  const compared = await compareRanges(queries, { ...common, ...before }, { ...common, ...after }, choice)
  const traces: string[][] = []
  const found: RangesComparison['found'][number][] = []
  for (const each of compared.found) {
    const { causes } = each
    const selector = `${after.selector} | frame ${printText(causes[0].name)}`
    const step = after.to - after.from
    const series = await seriesTotals(
      queries,
      { ...common, ...after, selector },
      { step: step < 1n ? 1n : step / 20n + 1n, exemplars: 20 },
    )
    if (!isLasting(series.groups.flatMap(({ points }) => points.map(({ value }) => value)))) continue
    found.push(each)
    const ids = series.groups.flatMap(({ exemplars }) => exemplars.map(({ traceId }) => traceId))
    traces.push([...new Set(ids.filter(id => id !== ''))].slice(0, EXAMPLE_TRACES))
  }
  return { ...compared, found, traces }
}

/** Cost in one or two moments, such as code that is loaded at its first use, says nothing about a version. */
const MIN_MOMENTS = 3
const MAX_MOMENT_SHARE = 0.6

function isLasting(values: readonly number[]): boolean {
  const used = values.filter(value => value > 0)
  const sum = used.reduce((all, value) => all + value, 0)
  return used.length >= MIN_MOMENTS && Math.max(...used) <= MAX_MOMENT_SHARE * sum
}

export interface SeriesTask extends RangeTask {
  readonly selector: string
  readonly step: bigint
  readonly groupBy: readonly string[]
}

/** Values of one group, one per step. */
export interface MonitoredGroup {
  readonly labels: Readonly<Record<string, string>>
  readonly points: readonly { readonly time: bigint; readonly value: number }[]
}

export interface MonitoredSeries {
  readonly unit: string
  /** Whether values are a state, such as the live heap: the average over the step, and not a sum that grows with its length. */
  readonly isGauge: boolean
  readonly groups: readonly MonitoredGroup[]
}

async function monitorSeries(queries: QueryContext, task: SeriesTask, signal: AbortSignal): Promise<MonitoredSeries> {
  const { step, groupBy, ...query } = task
  const totals = await seriesTotals(queries, { ...query, signal }, { step, groupBy })
  const { unit, groups, groupBy: keys } = totals
  return {
    unit,
    isGauge: totals.snapshots !== undefined,
    groups: groups.map(({ labels, points }) => ({
      labels: labelsOf(keys, labels),
      points: points.map(({ time, value }) => ({ time, value })),
    })),
  }
}

export interface MetricTask extends RangeTask {
  readonly name: string
  readonly selector?: string
  readonly service?: string
  readonly step: bigint
  readonly groupBy: readonly string[]
  readonly aggregation?: 'rate' | 'increase' | 'average' | 'last' | 'min' | 'max' | 'count'
  readonly quantile?: number
}

async function monitorMetric(queries: QueryContext, task: MetricTask, signal: AbortSignal): Promise<MonitoredSeries> {
  const { name, service, step, groupBy, aggregation, quantile, ...query } = task
  const found = await metricSeries(
    queries,
    { ...query, signal },
    {
      name,
      step,
      groupBy,
      ...(service === undefined ? {} : { service }),
      ...(aggregation === undefined ? {} : { aggregation }),
      ...(quantile === undefined ? {} : { quantiles: [quantile] }),
    },
  )
  return {
    unit: found.unit,
    isGauge: true,
    groups: found.groups.map(({ labels, points }) => ({
      labels: labelsOf(found.groupBy, labels),
      points: points.flatMap(({ time, value, quantiles }) => {
        const shown = quantile === undefined ? value : quantiles[0]
        return shown === undefined ? [] : [{ time, value: shown }]
      }),
    })),
  }
}

export interface RequestsTask extends RangeTask {
  readonly step: bigint
}

export interface CountedRequests {
  readonly service: string
  /** The start of the step. */
  readonly time: bigint
  readonly count: number
}

/** Server and consumer spans: the requests that a service handled. */
const REQUEST_KINDS = '(2, 5)'

async function monitorRequests(
  { engine }: QueryContext,
  task: RequestsTask,
  signal: AbortSignal,
): Promise<CountedRequests[]> {
  const running = new RunningQuery(engine, { ...task, signal })
  const values = new Values()
  const step = `intDiv(toUnixTimestamp64Nano(time) - ${values.add('Int64', task.from)}, ${values.add('Int64', task.step)})`
  const block = await running.selectLimited(
    `SELECT toString(service) AS of_service, toUInt32(${step}) AS number, count() AS spans FROM spans ` +
      `WHERE ${itemsWhere(running, values)} AND kind IN ${REQUEST_KINDS} GROUP BY of_service, number`,
    values.all,
    'counts of requests',
  )
  return Array.from({ length: block.rows }, (_, row) => ({
    service: block.column('of_service').text(row),
    time: task.from + BigInt(block.column('number').number(row)) * task.step,
    count: block.column('spans').number(row),
  }))
}

export interface LedgerTask extends RangeTask {
  readonly operation: string
  readonly service?: string
  readonly step: bigint
  /** Attributes of spans or resources. */
  readonly groupBy: readonly string[]
}

const MAX_LEDGER_GROUPS = 200

/** The time of the operation's requests in each entry of the ledger. */
async function monitorLedger(queries: QueryContext, task: LedgerTask, signal: AbortSignal): Promise<EntryHistogram[]> {
  const { operation, service, step, groupBy, ...query } = task
  const { found, requests, attributesOf } = await operationRequests(
    queries,
    { ...query, signal },
    { name: operation, ...(service === undefined ? {} : { service }) },
    { attributes: groupBy.length > 0 },
  )
  const histograms = entryHistograms(requests, {
    from: task.from,
    step,
    scale: requests.length === 0 ? 1 : found / requests.length,
    labelsOf: request => {
      const attributes = attributesOf(request)
      return Object.fromEntries(
        groupBy.flatMap(key => {
          const value = attributes.find(each => each.key === key)?.value
          return value === undefined ? [] : [[key, value]]
        }),
      )
    },
  })
  const groups = new Set(histograms.map(({ labels }) => JSON.stringify(labels))).size
  if (groups > MAX_LEDGER_GROUPS)
    throw new QueryError(
      'argument',
      `${groups} groups by ${groupBy.join(', ')}, and the limit is ${MAX_LEDGER_GROUPS}; use attributes with fewer values`,
    )
  return histograms
}

export interface TopTask extends RangeTask {
  readonly selector: string
  readonly count: number
}

export interface MonitoredTop {
  readonly unit: string
  readonly sum: number
  readonly rows: readonly {
    readonly name: string
    readonly file: string
    readonly self: number
    readonly total: number
  }[]
}

async function monitorTop(queries: QueryContext, task: TopTask, signal: AbortSignal): Promise<MonitoredTop> {
  const { count, ...query } = task
  const table = await top(queries, { ...query, signal }, { maxFrames: count })
  return {
    unit: table.unit,
    sum: Number(table.sum),
    rows: Array.from({ length: table.length }, (_, i) => ({
      name: table.frames.name[table.frame[i]],
      file: table.frames.file[table.frame[i]],
      self: table.self[i],
      total: table.total[i],
    })),
  }
}

function labelsOf(keys: readonly string[], labels: readonly AnyValue[]): Record<string, string> {
  return Object.fromEntries(
    keys.flatMap((key, i) => (labels[i] === undefined ? [] : [[key, textOf(labels[i])] as const])),
  )
}

function textOf(value: AnyValue): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export const monitorTasks = {
  monitorVersions,
  monitorCompare,
  monitorSeries,
  monitorMetric,
  monitorRequests,
  monitorLedger,
  monitorTop,
}
