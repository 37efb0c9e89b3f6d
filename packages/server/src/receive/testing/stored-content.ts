// Normalizes the content of stored requests by the rules of OTLP: an unset resource equals an empty one, and an id of zeros
// or an empty status equals none.
import type { Resource, Scope } from '@hearth/profile'
import type { LogsData, MetricsData, Status, TracesData } from '@hearth/signals'

const NO_RESOURCE: Resource = { attributes: [], droppedAttributesCount: 0, entityRefs: [] }
const NO_SCOPE: Scope = { name: '', version: '', attributes: [], droppedAttributesCount: 0 }

export function storedTraces({ resourceSpans, ...rest }: TracesData): TracesData {
  return {
    ...rest,
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
          status: isEmptyStatus(span.status) ? undefined : span.status,
        })),
      })),
    })),
  }
}

export function storedLogs({ resourceLogs, ...rest }: LogsData): LogsData {
  return {
    ...rest,
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

export function storedMetrics({ resourceMetrics, ...rest }: MetricsData): MetricsData {
  return {
    ...rest,
    resourceMetrics: resourceMetrics.map(resource => ({
      ...resource,
      resource: resource.resource ?? NO_RESOURCE,
      scopeMetrics: resource.scopeMetrics.map(scope => ({ ...scope, scope: scope.scope ?? NO_SCOPE })),
    })),
  }
}

function isEmptyStatus(status: Status | undefined): boolean {
  return status?.code === 0 && status.message === '' && status.unknown === undefined
}

function id(bytes: Uint8Array): Uint8Array {
  return bytes.some(byte => byte !== 0) ? bytes : new Uint8Array(0)
}
