// Turns stored rows of traces, logs and metrics back into OTLP messages, grouped by their resources and scopes.
import { OWN_PART, partOf } from '@hearth/profile'
import type { LogsData, Metric, MetricsData, TracesData, WithUnknown } from '@hearth/signals'
import type { StoredResource, StoredScope } from '../containers.ts'
import type { Block } from '../native/block.ts'
import { originalLogRecord, originalMetric, originalSpan } from './read-originals.ts'

export function tracesOf({ block, resources, unknown }: ItemRows): TracesData {
  return {
    ...ownFields(unknown),
    resourceSpans: resources.map(({ resource, schemaUrl, scopes, unknown: own }) => ({
      ...ownFields(own),
      resource,
      schemaUrl,
      scopeSpans: scopes.map(scope => ({
        ...ownFields(scope.unknown),
        scope: scope.scope,
        schemaUrl: scope.schemaUrl,
        spans: rowsOf(scope).map(row => originalSpan(block, row)),
      })),
    })),
  }
}

export function logsOf({ block, resources, unknown }: ItemRows): LogsData {
  return {
    ...ownFields(unknown),
    resourceLogs: resources.map(({ resource, schemaUrl, scopes, unknown: own }) => ({
      ...ownFields(own),
      resource,
      schemaUrl,
      scopeLogs: scopes.map(scope => ({
        ...ownFields(scope.unknown),
        scope: scope.scope,
        schemaUrl: scope.schemaUrl,
        logRecords: rowsOf(scope).map(row => originalLogRecord(block, row)),
      })),
    })),
  }
}

export function metricsDataOf({ block, resources, unknown }: ItemRows): MetricsData {
  return {
    ...ownFields(unknown),
    resourceMetrics: resources.map(({ resource, schemaUrl, scopes, unknown: own }) => ({
      ...ownFields(own),
      resource,
      schemaUrl,
      scopeMetrics: scopes.map(scope => ({
        ...ownFields(scope.unknown),
        scope: scope.scope,
        schemaUrl: scope.schemaUrl,
        metrics: metricsOf(block, scope),
      })),
    })),
  }
}

export interface ScopeRows extends StoredScope {
  /** Its rows in the block. */
  readonly from: number
  readonly to: number
}

export interface ResourceRows extends StoredResource {
  readonly scopes: readonly ScopeRows[]
}

/** Rows of items with their resources and scopes. */
export interface ItemRows {
  /** All items in order. */
  readonly block: Block
  readonly resources: readonly ResourceRows[]
  /** Unknown fields of the requests, encoded as parts. */
  readonly unknown?: Uint8Array | undefined
}

/** The unknown fields of a message itself. `parts` is undefined or empty if there are none. */
function ownFields(parts: Uint8Array | undefined): WithUnknown {
  const own = partOf(parts, OWN_PART)
  return own.length === 0 ? {} : { unknown: own.slice() }
}

function rowsOf({ from, to }: ScopeRows): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

/** Rows of one metric are adjacent. */
function metricsOf(block: Block, { from, to }: ScopeRows): readonly Metric[] {
  const metrics: Metric[] = []
  for (let row = from; row < to;) {
    const item = block.column('item_index').number(row)
    let end = row + 1
    while (end < to && block.column('item_index').number(end) === item) end++
    metrics.push(originalMetric(block, row, end))
    row = end
  }
  return metrics
}
