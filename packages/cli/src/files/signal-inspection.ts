// The data of `hearth inspect` for traces, logs and metrics. Scripts rely on the keys: keys may be added, but never renamed.
// 64-bit numbers are decimal strings.
import type { Note, Resource, Scope } from '@hearth/profile'
import type { Exemplar, LogRecord, Metric, Span } from '@hearth/signals'
import { attributesJson } from './attributes-json.ts'
import type { InspectedResource, InspectedScope } from './inspection.ts'
import type { SignalInput } from './signal-input.ts'
import { formatOfSignal } from './signal-input.ts'

export interface SignalInspection {
  readonly file: string
  readonly format: string
  readonly signal: string
  /** The stored size. */
  readonly bytes: number
  readonly compression: string
  readonly contentBytes: number
  readonly messages: number
  /** The number of items and of what they contain, such as `spans`, `traces` and `events`. */
  readonly counts: Readonly<Record<string, number>>
  /** The number of items by what they have in common: operations, severities or metrics. */
  readonly groups: readonly InspectedGroup[]
  /** Absent without any time. */
  readonly firstUnixNano: string | undefined
  readonly lastUnixNano: string | undefined
  readonly resources: readonly InspectedResource[]
  readonly scopes: readonly InspectedScope[]
  readonly notes: readonly Note[]
}

interface InspectedGroup {
  readonly [fact: string]: string | number
  readonly name: string
  readonly items: number
}

export function inspectSignal(input: SignalInput): SignalInspection {
  const { opened, kind, messages, notes } = input
  return {
    file: opened.file,
    format: formatOfSignal(kind),
    signal: kind.signal,
    bytes: opened.stored.length,
    compression: opened.compression,
    contentBytes: opened.bytes.length,
    messages,
    ...contentOf(input),
    notes,
  }
}

type Content = Pick<SignalInspection, 'counts' | 'groups' | 'firstUnixNano' | 'lastUnixNano' | 'resources' | 'scopes'>

function contentOf({ content }: SignalInput): Content {
  switch (content.signal) {
    case 'traces': {
      const { resourceSpans } = content.data
      const scopes = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans)
      return { ...ofSpans(scopes.flatMap(({ spans }) => spans)), ...containers(resourceSpans, scopes) }
    }
    case 'logs': {
      const { resourceLogs } = content.data
      const scopes = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs)
      return { ...ofRecords(scopes.flatMap(({ logRecords }) => logRecords)), ...containers(resourceLogs, scopes) }
    }
    case 'metrics': {
      const { resourceMetrics } = content.data
      const scopes = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics)
      return { ...ofMetrics(scopes.flatMap(({ metrics }) => metrics)), ...containers(resourceMetrics, scopes) }
    }
  }
}

interface Container {
  readonly schemaUrl: string
}

function containers(
  resources: readonly (Container & { readonly resource: Resource | undefined })[],
  scopes: readonly (Container & { readonly scope: Scope | undefined })[],
): Pick<Content, 'resources' | 'scopes'> {
  return {
    resources: resources.map(({ resource, schemaUrl }) => ({
      attributes: attributesJson(resource?.attributes ?? []),
      schemaUrl,
    })),
    scopes: scopes.map(({ scope, schemaUrl }) => ({
      name: scope?.name ?? '',
      version: scope?.version ?? '',
      attributes: attributesJson(scope?.attributes ?? []),
      schemaUrl,
    })),
  }
}

type Items = Omit<Content, 'resources' | 'scopes'>

function ofSpans(spans: readonly Span[]): Items {
  const hex = (id: Uint8Array): string => Buffer.from(id).toString('hex')
  return {
    counts: {
      spans: spans.length,
      traces: new Set(spans.map(({ traceId }) => hex(traceId))).size,
      roots: spans.filter(({ parentSpanId }) => parentSpanId.every(byte => byte === 0)).length,
      errors: spans.filter(({ status }) => status?.code === 2).length,
      events: sum(spans, ({ events }) => events.length),
      links: sum(spans, ({ links }) => links.length),
      droppedAttributes: sum(spans, span => span.droppedAttributesCount),
      droppedEvents: sum(spans, span => span.droppedEventsCount),
      droppedLinks: sum(spans, span => span.droppedLinksCount),
    },
    groups: grouped(spans, ({ name }) => ({ name })),
    ...rangeOf(spans.flatMap(span => [span.startTimeUnixNano, span.endTimeUnixNano])),
  }
}

function ofRecords(records: readonly LogRecord[]): Items {
  return {
    counts: {
      records: records.length,
      withTrace: records.filter(({ traceId }) => traceId.some(byte => byte !== 0)).length,
      events: records.filter(({ eventName }) => eventName !== '').length,
      droppedAttributes: sum(records, record => record.droppedAttributesCount),
    },
    groups: grouped(records, ({ severityNumber, severityText }) => ({ name: severityText, severityNumber })),
    ...rangeOf(records.map(record => record.timeUnixNano || record.observedTimeUnixNano)),
  }
}

/** The fields that points of every kind have. */
interface DataPoint {
  readonly timeUnixNano: bigint
  readonly exemplars?: readonly Exemplar[]
}

const KINDS = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'] as const
const TEMPORALITIES = ['unspecified', 'delta', 'cumulative']

function ofMetrics(metrics: readonly Metric[]): Items {
  const all = metrics.map(metric => {
    const kind = KINDS.find(name => metric[name] !== undefined)
    const data = kind === undefined ? undefined : metric[kind]
    const temporality = data !== undefined && 'aggregationTemporality' in data ? data.aggregationTemporality : undefined
    const facts = {
      name: metric.name,
      unit: metric.unit,
      kind: kind ?? 'none',
      temporality: temporality === undefined ? '' : (TEMPORALITIES[temporality] ?? String(temporality)),
    }
    return { facts, points: (data?.dataPoints ?? []) as readonly DataPoint[] }
  })
  const points = all.flatMap(metric => metric.points)
  return {
    counts: {
      metrics: metrics.length,
      points: points.length,
      exemplars: sum(points, ({ exemplars = [] }) => exemplars.length),
    },
    groups: grouped(
      all,
      ({ facts }) => facts,
      metric => metric.points.length,
    ),
    ...rangeOf(points.map(({ timeUnixNano }) => timeUnixNano)),
  }
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

interface Facts {
  readonly [fact: string]: string | number
  readonly name: string
}

/** Sorted by the number of items, largest first, then by name. */
function grouped<Item>(
  items: readonly Item[],
  factsOf: (item: Item) => Facts,
  countOf: (item: Item) => number = () => 1,
): InspectedGroup[] {
  const groups = new Map<string, Facts & { items: number }>()
  for (const item of items) {
    const facts = factsOf(item)
    const key = JSON.stringify(facts)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { ...facts, items: countOf(item) })
    else group.items += countOf(item)
  }
  return [...groups.values()].sort((a, b) => b.items - a.items || (a.name < b.name ? -1 : 1))
}

/** Zero is no time. */
function rangeOf(times: readonly bigint[]): Pick<Content, 'firstUnixNano' | 'lastUnixNano'> {
  let first: bigint | undefined
  let last: bigint | undefined
  for (const time of times) {
    if (time === 0n) continue
    if (first === undefined || time < first) first = time
    if (last === undefined || time > last) last = time
  }
  return { firstUnixNano: first?.toString(), lastUnixNano: last?.toString() }
}
