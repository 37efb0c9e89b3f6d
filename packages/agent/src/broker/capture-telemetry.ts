// The telemetry that the agent sends to the Broker about itself: a span for each capture, whose parent is the request, and
// counters of captures and dropped exports.
import { randomBytes } from 'node:crypto'
import type { Event, Telemetry } from '@hearth/broker'
import { CONTENT_TYPE, EVENT_TYPE, telemetry, ttlOfMs } from '@hearth/broker'

type Span = Telemetry['spans'][number]
type Metric = Telemetry['metrics'][number]
type Attributes = Span['attributes']

/** Marks the telemetry of a capture, so that it triggers no other capture. */
export const CAPTURE_ID = 'profiling.capture.id'

const NO_BYTES = new Uint8Array(0)
const STATUS_ERROR = 2
const KIND_SERVER = 2
const CUMULATIVE = 2
const SAMPLED = 1
const TTL_MS = 60_000

export interface CaptureOutcome {
  readonly event: Event
  readonly captureId: string
  readonly type: string
  readonly reason: string
  readonly startMs: number
  readonly endMs: number
  readonly profileIds: readonly string[]
  readonly error: string | undefined
}

export function captureSpan(outcome: CaptureOutcome): Span {
  const { event, captureId, type, reason, startMs, endMs, profileIds, error } = outcome
  const parent = event.parentSpan
  const attributes: Attributes = [
    { key: CAPTURE_ID, value: captureId },
    { key: 'profiling.capture.type', value: type },
    ...(reason === '' ? [] : [{ key: 'profiling.capture.reason', value: reason }]),
    ...(profileIds.length === 0
      ? []
      : [{ key: 'profile_id', value: profileIds.length === 1 ? profileIds[0] : profileIds }]),
  ]
  return {
    traceId: parent?.traceId.length === 16 ? parent.traceId : randomBytes(16),
    spanId: randomBytes(8),
    traceState: parent?.traceState ?? '',
    parentSpanId: parent?.spanId ?? NO_BYTES,
    name: `capture ${type}`,
    kind: KIND_SERVER,
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(endMs),
    attributes,
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    status: error === undefined ? undefined : { code: STATUS_ERROR, message: error },
    flags: (parent?.flags ?? SAMPLED) & 0xff,
  }
}

export interface Counter {
  readonly name: string
  readonly description: string
  readonly value: number
}

/** Monotonic sums since the start of the agent. */
export function counterMetrics(counters: readonly Counter[], startMs: number, nowMs: number): Metric[] {
  return counters.map(({ name, description, value }) => ({
    name,
    description,
    unit: '1',
    gauge: undefined,
    sum: {
      dataPoints: [
        {
          startTimeUnixNano: nanosOf(startMs),
          timeUnixNano: nanosOf(nowMs),
          asDouble: undefined,
          asInt: BigInt(value),
          exemplars: [],
          attributes: [],
          flags: 0,
        },
      ],
      aggregationTemporality: CUMULATIVE,
      isMonotonic: true,
    },
    histogram: undefined,
    exponentialHistogram: undefined,
    summary: undefined,
    metadata: [],
  }))
}

/** The event that carries the telemetry. */
export function telemetryEvent(content: Partial<Telemetry>): Partial<Event> {
  return {
    type: EVENT_TYPE.telemetry,
    contentType: CONTENT_TYPE.protobuf,
    ttl: ttlOfMs(TTL_MS),
    content: telemetry.encode({ traceId: NO_BYTES, logRecords: [], metrics: [], spans: [], ...content }),
  }
}

function nanosOf(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n
}
