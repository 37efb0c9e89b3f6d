// The rules that spans, log records and data points must follow. An item that breaks one is rejected, and the others stay.
import type {
  Exemplar,
  KeyValue,
  LogRecord,
  LogsData,
  Metric,
  MetricsData,
  ScopeLogs,
  ScopeMetrics,
  ScopeSpans,
  Span,
  TracesData,
} from '@hearth/signals'
import { exponentialProblem, histogramProblem, summaryProblem } from '@hearth/signals'
import type { Rejects } from './rejects.ts'

export interface ItemLimits {
  readonly maxAttributes: number
}

/** The reason to reject an item: a stable word for metrics and a sentence. */
type Fault = readonly [reason: string, what: string]

export function checkedTraces(data: TracesData, limits: ItemLimits, rejects: Rejects): TracesData {
  const spanCount = (scope: ScopeSpans): number => scope.spans.length
  const resourceSpans = containers(data.resourceSpans, 'resourceSpans', limits, rejects, {
    attributes: resource => resource.resource?.attributes,
    count: resource => sum(resource.scopeSpans, spanCount),
    checked: (resource, path) => ({
      ...resource,
      scopeSpans: containers(resource.scopeSpans, `${path}.scopeSpans`, limits, rejects, {
        attributes: scope => scope.scope?.attributes,
        count: spanCount,
        checked: (scope, place) => ({
          ...scope,
          spans: kept(scope.spans, span => spanFault(span, limits), rejects, `${place}.spans`, checkPartsOfSpan),
        }),
      }),
    }),
  })
  return { ...data, resourceSpans }
}

export function checkedLogs(data: LogsData, limits: ItemLimits, rejects: Rejects): LogsData {
  const recordCount = (scope: ScopeLogs): number => scope.logRecords.length
  const resourceLogs = containers(data.resourceLogs, 'resourceLogs', limits, rejects, {
    attributes: resource => resource.resource?.attributes,
    count: resource => sum(resource.scopeLogs, recordCount),
    checked: (resource, path) => ({
      ...resource,
      scopeLogs: containers(resource.scopeLogs, `${path}.scopeLogs`, limits, rejects, {
        attributes: scope => scope.scope?.attributes,
        count: recordCount,
        checked: (scope, place) => ({
          ...scope,
          logRecords: kept(
            withoutInvalidIds(scope.logRecords, rejects, `${place}.logRecords`),
            record => attributesFault(record.attributes, limits),
            rejects,
            `${place}.logRecords`,
          ),
        }),
      }),
    }),
  })
  return { ...data, resourceLogs }
}

export function checkedMetrics(data: MetricsData, limits: ItemLimits, rejects: Rejects): MetricsData {
  const pointCount = (scope: ScopeMetrics): number => sum(scope.metrics, metric => pointsIn(metric).length)
  const resourceMetrics = containers(data.resourceMetrics, 'resourceMetrics', limits, rejects, {
    attributes: resource => resource.resource?.attributes,
    count: resource => sum(resource.scopeMetrics, pointCount),
    checked: (resource, path) => ({
      ...resource,
      scopeMetrics: containers(resource.scopeMetrics, `${path}.scopeMetrics`, limits, rejects, {
        attributes: scope => scope.scope?.attributes,
        count: pointCount,
        checked: (scope, place) => ({
          ...scope,
          metrics: containers(scope.metrics, `${place}.metrics`, limits, rejects, {
            attributes: metric => metric.metadata,
            count: metric => pointsIn(metric).length,
            checked: (metric, where) => checkedMetric(metric, limits, rejects, where),
          }),
        }),
      }),
    }),
  })
  return { ...data, resourceMetrics }
}

/** A resource, a scope or a metric: contains items and has attributes. */
interface Containers<Container> {
  readonly attributes: (container: Container) => readonly KeyValue[] | undefined
  /** The number of items in the container. */
  readonly count: (container: Container) => number
  readonly checked: (container: Container, path: string) => Container
}

/** Removes containers with too many attributes, and checks the items of the others. */
function containers<Container>(
  list: readonly Container[],
  path: string,
  limits: ItemLimits,
  rejects: Rejects,
  { attributes, count, checked }: Containers<Container>,
): readonly Container[] {
  return list.flatMap((container, i) => {
    const own = attributes(container) ?? []
    const fault = attributesFault(own, limits)
    if (fault === undefined) {
      checkKeys(own, rejects, () => `${path}[${i}]`)
      return [checked(container, `${path}[${i}]`)]
    }
    rejects.add(fault[0], `${path}[${i}]`, fault[1], count(container))
    return []
  })
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

function pointsIn({ gauge, sum: sums, histogram, exponentialHistogram, summary }: Metric): readonly unknown[] {
  return (gauge ?? sums ?? histogram ?? exponentialHistogram ?? summary)?.dataPoints ?? []
}

function checkedMetric(metric: Metric, limits: ItemLimits, rejects: Rejects, path: string): Metric {
  const points = <Point extends PointLike>(list: readonly Point[]): readonly Point[] =>
    kept(list, point => pointFault(point, limits), rejects, `${path}.dataPoints`)
  const { gauge, sum, histogram, exponentialHistogram, summary } = metric
  const report = (i: number, what: string | undefined): void => {
    if (what !== undefined) rejects.warn(`${path}.dataPoints[${i}]`, what)
  }
  for (const [i, point] of (histogram?.dataPoints ?? []).entries()) report(i, histogramProblem(point))
  for (const [i, point] of (exponentialHistogram?.dataPoints ?? []).entries()) report(i, exponentialProblem(point))
  for (const [i, point] of (summary?.dataPoints ?? []).entries()) report(i, summaryProblem(point))
  if (gauge !== undefined) return { ...metric, gauge: { ...gauge, dataPoints: points(gauge.dataPoints) } }
  if (sum !== undefined) return { ...metric, sum: { ...sum, dataPoints: points(sum.dataPoints) } }
  if (histogram !== undefined)
    return { ...metric, histogram: { ...histogram, dataPoints: points(histogram.dataPoints) } }
  if (exponentialHistogram !== undefined) {
    const dataPoints = points(exponentialHistogram.dataPoints)
    return { ...metric, exponentialHistogram: { ...exponentialHistogram, dataPoints } }
  }
  if (summary !== undefined) return { ...metric, summary: { ...summary, dataPoints: points(summary.dataPoints) } }
  return metric
}

/** Returns the same array if all items are valid, which is nearly always. */
function kept<Item extends WithAttributes>(
  items: readonly Item[],
  faultOf: (item: Item) => Fault | undefined,
  rejects: Rejects,
  path: string,
  checkParts?: (item: Item, rejects: Rejects, path: () => string) => void,
): readonly Item[] {
  let good: Item[] | undefined
  for (const [i, item] of items.entries()) {
    const fault = faultOf(item)
    if (fault === undefined) {
      good?.push(item)
      checkKeys(item.attributes, rejects, () => `${path}[${i}]`)
      checkParts?.(item, rejects, () => `${path}[${i}]`)
    } else {
      good ??= items.slice(0, i)
      rejects.add(fault[0], `${path}[${i}]`, fault[1])
    }
  }
  return good ?? items
}

interface WithAttributes {
  readonly attributes: readonly KeyValue[]
}

function checkPartsOfSpan({ events, links }: Span, rejects: Rejects, path: () => string): void {
  for (const [i, event] of events.entries()) checkKeys(event.attributes, rejects, () => `${path()}.events[${i}]`)
  for (const [i, link] of links.entries()) checkKeys(link.attributes, rejects, () => `${path()}.links[${i}]`)
}

/** Lists up to this length are compared pair by pair, which is faster than a set. */
const FEW_ATTRIBUTES = 16

/** OTLP requires that keys are unique. Attributes with repeated keys are accepted with a warning. */
function checkKeys(attributes: readonly KeyValue[], rejects: Rejects, path: () => string): void {
  const { length } = attributes
  const seen = length > FEW_ATTRIBUTES ? new Set<string>() : undefined
  for (let i = 0; i < length; i++) {
    const { key } = attributes[i]
    const isKnown = seen === undefined ? isBefore(attributes, key, i) : seen.has(key)
    if (isKnown) rejects.warn(`${path()}.attributes[${i}]`, `the key ${JSON.stringify(key)} is repeated`)
    seen?.add(key)
  }
}

function isBefore(attributes: readonly KeyValue[], key: string, end: number): boolean {
  for (let i = 0; i < end; i++) if (attributes[i].key === key) return true
  return false
}

function spanFault(span: Span, limits: ItemLimits): Fault | undefined {
  if (!isId(span.traceId, 16)) return ['trace-id', 'traceId must be 16 bytes that are not all zero']
  if (!isId(span.spanId, 8)) return ['span-id', 'spanId must be 8 bytes that are not all zero']
  if (!isIdOrNone(span.parentSpanId, 8)) return ['span-id', 'parentSpanId must be empty or 8 bytes']
  for (const link of span.links)
    if (!isIdOrNone(link.traceId, 16) || !isIdOrNone(link.spanId, 8))
      return ['link-id', 'links: traceId must be 16 bytes and spanId 8']
  return (
    attributesFault(span.attributes, limits) ??
    firstFault(span.events, event => attributesFault(event.attributes, limits)) ??
    firstFault(span.links, link => attributesFault(link.attributes, limits))
  )
}

const NO_ID = new Uint8Array(0)

/** OTLP requires that a record with an invalid id is treated as one without association. */
function withoutInvalidIds(records: readonly LogRecord[], rejects: Rejects, path: string): readonly LogRecord[] {
  const isValid = ({ traceId, spanId }: LogRecord): boolean => isIdOrNone(traceId, 16) && isIdOrNone(spanId, 8)
  if (records.every(isValid)) return records
  return records.map((record, i) => {
    if (isValid(record)) return record
    const hasTrace = isIdOrNone(record.traceId, 16)
    const what = hasTrace ? 'spanId must be empty or 8 bytes' : 'traceId must be empty or 16 bytes'
    rejects.warn(`${path}[${i}]`, `${what}; stored without it`)
    return { ...record, traceId: hasTrace ? record.traceId : NO_ID, spanId: NO_ID }
  })
}

interface PointLike {
  readonly timeUnixNano: bigint
  readonly attributes: readonly KeyValue[]
  readonly exemplars?: readonly Exemplar[]
}

function pointFault({ timeUnixNano, attributes, exemplars = [] }: PointLike, limits: ItemLimits): Fault | undefined {
  if (timeUnixNano === 0n) return ['time', 'timeUnixNano must be set']
  for (const { traceId, spanId, filteredAttributes } of exemplars) {
    if (!isIdOrNone(traceId, 16) || !isIdOrNone(spanId, 8))
      return ['exemplar-id', 'exemplars: traceId must be empty or 16 bytes, spanId empty or 8']
    const fault = attributesFault(filteredAttributes, limits)
    if (fault !== undefined) return fault
  }
  return attributesFault(attributes, limits)
}

function attributesFault(attributes: readonly KeyValue[], { maxAttributes }: ItemLimits): Fault | undefined {
  if (attributes.length <= maxAttributes) return undefined
  return ['attributes', `${attributes.length} attributes; the limit is ${maxAttributes} (max-attributes)`]
}

function firstFault<Item>(items: readonly Item[], faultOf: (item: Item) => Fault | undefined): Fault | undefined {
  for (const item of items) {
    const fault = faultOf(item)
    if (fault !== undefined) return fault
  }
  return undefined
}

function isId(id: Uint8Array, length: number): boolean {
  return id.length === length && id.some(byte => byte !== 0)
}

function isIdOrNone(id: Uint8Array, length: number): boolean {
  return id.length === 0 || id.length === length
}
