// Normalizes the content of stored requests by the rules of OTLP: an unset resource equals an empty one, and an id of zeros
// or an empty status equals none.
import type { Resource, Scope } from '@hearth/profile'
import type { LogsData, MetricsData, TracesData } from '@hearth/signals'

const NO_RESOURCE: Resource = { attributes: [], droppedAttributesCount: 0, entityRefs: [] }
const NO_SCOPE: Scope = { name: '', version: '', attributes: [], droppedAttributesCount: 0 }

export function storedTraces({ resourceSpans }: TracesData): TracesData {
  return {
    resourceSpans: resourceSpans.map(resource => ({
      ...resource,
      resource: resource.resource ?? NO_RESOURCE,
      scopeSpans: resource.scopeSpans.map(scope => ({
        ...scope,
        scope: scope.scope ?? NO_SCOPE,
        spans: scope.spans.map(span => ({
          ...span,
          parentSpanId: id(span.parentSpanId),
          links: span.links.map(link => ({ ...link, traceId: id(link.traceId), spanId: id(link.spanId) })),
          status: span.status?.code === 0 && span.status.message === '' ? undefined : span.status,
        })),
      })),
    })),
  }
}

export function storedLogs({ resourceLogs }: LogsData): LogsData {
  return {
    resourceLogs: resourceLogs.map(resource => ({
      ...resource,
      resource: resource.resource ?? NO_RESOURCE,
      scopeLogs: resource.scopeLogs.map(scope => ({
        ...scope,
        scope: scope.scope ?? NO_SCOPE,
        logRecords: scope.logRecords.map(record => ({
          ...record,
          traceId: id(record.traceId),
          spanId: id(record.spanId),
        })),
      })),
    })),
  }
}

export function storedMetrics({ resourceMetrics }: MetricsData): MetricsData {
  return {
    resourceMetrics: resourceMetrics.map(resource => ({
      ...resource,
      resource: resource.resource ?? NO_RESOURCE,
      scopeMetrics: resource.scopeMetrics.map(scope => ({ ...scope, scope: scope.scope ?? NO_SCOPE })),
    })),
  }
}

function id(bytes: Uint8Array): Uint8Array {
  return bytes.some(byte => byte !== 0) ? bytes : new Uint8Array(0)
}
