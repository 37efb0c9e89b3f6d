// Applies redaction to the payload of a request: to resources, scopes, and the items of every signal.
import type { KeyValue, Resource, Scope } from '@hearth/profile'
import { redactProfiles } from '@hearth/profile'
import type { LogRecord, LogsData, Metric, MetricsData, Span, TracesData } from '@hearth/signals'
import type { Payload } from '../store/keeper.ts'
import type { Redaction } from './redactor.ts'

/** Returns the same payload if nothing changes. */
export function redactPayload(payload: Payload, redaction: Redaction): Payload {
  const { signal } = payload
  switch (signal) {
    case 'profiles': {
      const profiles = redactProfiles(payload.profiles, {
        attribute: (attribute, uses) => redaction.attribute(attribute, 'attributes', uses),
        resource: resource => withAttributes(redaction, resource, 'resource'),
        scope: scope => withAttributes(redaction, scope, 'scope'),
      })
      return profiles === payload.profiles ? payload : { signal, profiles }
    }
    case 'traces':
      return { signal, traces: redactTraces(payload.traces, redaction) }
    case 'logs':
      return { signal, logs: redactLogs(payload.logs, redaction) }
    case 'metrics':
      return { signal, metrics: redactMetrics(payload.metrics, redaction) }
  }
}

function withAttributes<Container extends Resource | Scope>(
  redaction: Redaction,
  container: Container,
  place: 'resource' | 'scope',
): Container {
  const attributes = redaction.attributes(container.attributes, place)
  return attributes === container.attributes ? container : { ...container, attributes }
}

/** The resource and the scope of a group; undefined ones stay undefined. */
function redacted<Container extends Resource | Scope>(
  redaction: Redaction,
  container: Container | undefined,
  place: 'resource' | 'scope',
): Container | undefined {
  return container === undefined ? undefined : withAttributes(redaction, container, place)
}

function redactTraces({ resourceSpans }: TracesData, redaction: Redaction): TracesData {
  return {
    resourceSpans: resourceSpans.map(group => ({
      ...group,
      resource: redacted(redaction, group.resource, 'resource'),
      scopeSpans: group.scopeSpans.map(inner => ({
        ...inner,
        scope: redacted(redaction, inner.scope, 'scope'),
        spans: inner.spans.map(span => redactSpan(span, redaction)),
      })),
    })),
  }
}

function redactSpan(span: Span, redaction: Redaction): Span {
  return {
    ...span,
    attributes: items(redaction, span.attributes),
    events: span.events.map(event => ({ ...event, attributes: items(redaction, event.attributes) })),
    links: span.links.map(link => ({ ...link, attributes: items(redaction, link.attributes) })),
  }
}

function redactLogs({ resourceLogs }: LogsData, redaction: Redaction): LogsData {
  return {
    resourceLogs: resourceLogs.map(group => ({
      ...group,
      resource: redacted(redaction, group.resource, 'resource'),
      scopeLogs: group.scopeLogs.map(inner => ({
        ...inner,
        scope: redacted(redaction, inner.scope, 'scope'),
        logRecords: inner.logRecords.map(record => redactRecord(record, redaction)),
      })),
    })),
  }
}

function redactRecord(record: LogRecord, redaction: Redaction): LogRecord {
  const body = redaction.body(record.body)
  const attributes = items(redaction, record.attributes)
  if (body === record.body) return { ...record, attributes }
  // The unknown fields of a body may contain the body itself.
  const { bodyUnknown, ...rest } = record
  void bodyUnknown
  return { ...rest, body, attributes }
}

function redactMetrics({ resourceMetrics }: MetricsData, redaction: Redaction): MetricsData {
  return {
    resourceMetrics: resourceMetrics.map(group => ({
      ...group,
      resource: redacted(redaction, group.resource, 'resource'),
      scopeMetrics: group.scopeMetrics.map(inner => ({
        ...inner,
        scope: redacted(redaction, inner.scope, 'scope'),
        metrics: inner.metrics.map(metric => redactMetric(metric, redaction)),
      })),
    })),
  }
}

const KINDS = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'] as const

interface Point {
  readonly attributes: readonly KeyValue[]
  readonly exemplars?: readonly { readonly filteredAttributes: readonly KeyValue[] }[]
}

function redactMetric(metric: Metric, redaction: Redaction): Metric {
  const changed: Record<string, unknown> = { ...metric, metadata: items(redaction, metric.metadata) }
  for (const kind of KINDS) {
    const data = metric[kind]
    if (data === undefined) continue
    changed[kind] = {
      ...data,
      dataPoints: (data.dataPoints as readonly Point[]).map(point => redactPoint(point, redaction)),
    }
  }
  return changed as unknown as Metric
}

function redactPoint(point: Point, redaction: Redaction): Point {
  const attributes = items(redaction, point.attributes)
  if (point.exemplars === undefined) return { ...point, attributes }
  const exemplars = point.exemplars.map(exemplar => ({
    ...exemplar,
    filteredAttributes: items(redaction, exemplar.filteredAttributes),
  }))
  return { ...point, attributes, exemplars }
}

function items(redaction: Redaction, attributes: readonly KeyValue[]): readonly KeyValue[] {
  return redaction.attributes(attributes, 'attributes')
}
