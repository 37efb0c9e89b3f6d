// Answers about traces, logs and metrics as they are sent.
import type { z } from 'zod'
import type { TraceComparison } from '../../query/signals/compare-traces.ts'
import type { LogCounts } from '../../query/signals/log-counts.ts'
import { SEVERITY_RANGES } from '../../query/signals/log-counts.ts'
import type { LogMarks } from '../../query/signals/lane-logs.ts'
import type { LaneSpans } from '../../query/signals/lane-spans.ts'
import type { LogRow, Logs } from '../../query/signals/logs.ts'
import type { MetricList } from '../../query/signals/metric-list.ts'
import type { MetricGroup, MetricPoint, MetricSeries } from '../../query/signals/metric-series.ts'
import type { Trace } from '../../query/signals/trace.ts'
import type { OperationList, TraceList } from '../../query/signals/trace-list.ts'
import { diffSent, valueJson } from './answer-sent.ts'
import type { Sent } from './response/response-columns.ts'
import type * as answers from './signal-answers.ts'
import { attributesJson, containersJson, hexOf } from './signals/container-json.ts'
import { SpanRows, profilesJson } from './signals/span-columns.ts'

type Json<Schema extends z.ZodType> = z.infer<Schema>

export function tracesSent({ traces, next }: TraceList): Json<typeof answers.traces> {
  const rows = traces.map(({ span, root, start, duration, services, profiles, ...row }) => ({
    ...row,
    span: rowSpanJson(span),
    root: rowSpanJson(root),
    start: start.toString(),
    duration: duration.toString(),
    services: [...services],
    profiles: profiles.map(({ type, unit, samples, value }) => ({ type, unit, samples, value: value.toString() })),
  }))
  return { traces: rows, ...(next === undefined ? {} : { next }) }
}

export function spansSent({ spans, all }: LaneSpans): Json<typeof answers.spans> {
  return { spans: spans.map(rowSpanJson), all }
}

export function logMarksSent({ step, marks, all, hidden }: LogMarks): Json<typeof answers.logMarks> {
  return { step: step.toString(), marks: marks.map(mark => ({ ...mark, time: mark.time.toString() })), all, hidden }
}

interface Timed {
  readonly start: bigint
  readonly duration: bigint
}

function rowSpanJson<Span extends Timed>({ start, duration, ...span }: Span) {
  return { ...span, start: start.toString(), duration: duration.toString() }
}

export function traceSent(trace: Trace, withUnlinked: boolean): Sent<Json<typeof answers.trace>> {
  const { traceId, start, duration, allSpans, spans, types, unplaced, notes } = trace
  return {
    traceId,
    start: start.toString(),
    duration: duration.toString(),
    allSpans,
    spans: new SpanRows(spans, withUnlinked),
    types: types.map(({ type, unit }) => ({ type, unit })),
    unplaced: unplaced.map(profilesJson),
    ...containersJson(trace),
    notes: notes.map(({ code, count, message }) => ({ code, count, message })),
  }
}

export function operationsSent({ operations, truncated }: OperationList): Json<typeof answers.operations> {
  return {
    operations: operations.map(({ durations, ...row }) => ({
      ...row,
      ...(durations === undefined
        ? {}
        : { durations: { ...durations, least: durations.least.toString(), most: durations.most.toString() } }),
    })),
    truncated,
  }
}

export function compareTracesSent(comparison: TraceComparison): Sent<Json<typeof answers.compareTraces>> {
  const { threshold, slow, fast, diff } = comparison
  return {
    ...(threshold === undefined ? {} : { threshold: threshold.toString() }),
    slow: { found: slow.found, traceIds: [...slow.traceIds] },
    fast: { found: fast.found, traceIds: [...fast.traceIds] },
    diff: diffSent(diff),
  }
}

export function logsSent(answer: Logs): Json<typeof answers.logs> {
  const { next } = answer
  return { logs: answer.logs.map(logJson), ...containersJson(answer), ...(next === undefined ? {} : { next }) }
}

function logJson({ cursor, time, service, resource, scope, record, profileId }: LogRow): Json<typeof answers.logRow> {
  const { observedTimeUnixNano, severityNumber, severityText, body, traceId, spanId, eventName, attributes } = record
  return {
    cursor,
    time: time.toString(),
    ...(observedTimeUnixNano === 0n ? {} : { observed: observedTimeUnixNano.toString() }),
    // Whatever was sent: numbers below zero are none.
    severity: Math.max(0, severityNumber),
    severityText,
    body: valueJson(body),
    service,
    traceId: hexOf(traceId),
    spanId: hexOf(spanId),
    profileId,
    ...(eventName === '' ? {} : { eventName }),
    resource,
    scope,
    attributes: attributesJson(attributes),
  }
}

export function logCountsSent({ step, points }: LogCounts): Json<typeof answers.logCounts> {
  return {
    step: step.toString(),
    severities: [...SEVERITY_RANGES],
    points: points.map(({ time, counts }) => ({ time: time.toString(), counts: [...counts] })),
  }
}

export function metricsSent({ metrics, next }: MetricList): Json<typeof answers.metrics> {
  const rows = metrics.map(({ services, first, last, ...row }) => ({
    ...row,
    services: [...services],
    first: first.toString(),
    last: last.toString(),
  }))
  return { metrics: rows, ...(next === undefined ? {} : { next }) }
}

export function metricSeriesSent(series: MetricSeries): Json<typeof answers.metricSeries> {
  const { step, groupBy, quantiles, groups, ...rest } = series
  return {
    ...rest,
    step: step.toString(),
    groupBy: [...groupBy],
    quantiles: [...quantiles],
    groups: groups.map(metricGroupJson),
  }
}

function metricGroupJson({ labels, points, cells, exemplars }: MetricGroup): Json<typeof answers.metricGroup> {
  return {
    labels: labels.map(valueJson),
    points: points.map(pointJson),
    ...(cells.length === 0
      ? {}
      : { cells: cells.map(({ lower, upper }) => ({ lower: doubleJson(lower), upper: doubleJson(upper) })) }),
    exemplars: exemplars.map(({ time, value, traceId, spanId, attributes }) => ({
      time: time.toString(),
      value: valueJson(value),
      traceId,
      spanId,
      attributes: attributesJson(attributes),
    })),
  }
}

function pointJson({ time, value, quantiles, buckets }: MetricPoint): Json<typeof answers.metricPoint> {
  return {
    time: time.toString(),
    ...(value === undefined ? {} : { value: doubleJson(value) }),
    ...(quantiles.length === 0
      ? {}
      : { quantiles: quantiles.map(each => (each === undefined ? ('none' as const) : doubleJson(each))) }),
    ...(buckets.length === 0 ? {} : { buckets: [...buckets] }),
  }
}

/** JSON has no others. */
function doubleJson(value: number): number | 'NaN' | 'Infinity' | '-Infinity' {
  return Number.isFinite(value) ? value : (String(value) as 'NaN' | 'Infinity' | '-Infinity')
}
