// A request for a capture, its limits, and the event that carries it.
import { defined } from '../../query/defined.ts'
import type { Component, Event, SpanContext, Struct, Value } from '@hearth/broker'
import { Category, EVENT_TYPE, createEvent, ttlOfMs } from '@hearth/broker'

export interface CaptureRequest {
  /** service.name. */
  readonly service: string
  /** deployment.environment.name. Default: any. */
  readonly environment?: string
  /** service.instance.id of the only instance to capture. */
  readonly instance?: string
  /** Capture all instances instead of the one with the lowest load. */
  readonly all: boolean
  /** For example cpu or heap. */
  readonly type: string
  readonly durationMs: number
  readonly frequencyHz?: number
  /** Return samples of this time range, in Unix nanoseconds, instead of recording. */
  readonly lookBack?: { readonly from: bigint; readonly until: bigint }
  /** Only samples of this trace and span, in hex. */
  readonly traceId?: string
  readonly spanId?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly reason: string
  readonly maxBytes?: number
  /** The parent span, in hex. */
  readonly parent?: SpanIds
}

export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

export interface CaptureLimits {
  /** Concurrent captures per tenant. */
  readonly running: number
  /** Instances per capture. */
  readonly instances: number
  readonly durationMs: number
  /** Size of one instance's response. */
  readonly bytes: number
  /**
   * Time for a response in addition to the recording: encoding, transfer, and delays on a busy machine. A component that
   * disconnects fails at once.
   */
  readonly graceMs: number
}

/** A capture longer than ten minutes is of no use, and an event holds 16 MiB. */
export const CAPTURE_LIMITS: CaptureLimits = {
  running: 32,
  instances: 1000,
  durationMs: 600_000,
  bytes: 15 * 2 ** 20,
  graceMs: 30_000,
}

export type CaptureFault = 'argument' | 'not-found' | 'busy'

/** Thrown when a capture cannot be started. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError'
  readonly fault: CaptureFault

  constructor(fault: CaptureFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** The duration of the recording, 0 when looking back. */
function recordingMs({ durationMs, lookBack }: CaptureRequest): number {
  return lookBack === undefined ? durationMs : 0
}

export function captureEvent(
  { id, request, span }: { readonly id: string; readonly request: CaptureRequest; readonly span: SpanContext },
  target: Component,
  graceMs: number,
): Event {
  const { type, frequencyHz, lookBack, traceId, spanId, labels, reason, maxBytes } = request
  const params: Record<string, Value | undefined> = {
    capture_id: id,
    profile_type: type,
    duration_ms: lookBack === undefined ? request.durationMs : undefined,
    frequency_hz: frequencyHz,
    timestamps: true,
    // As text, because doubles cannot hold nanoseconds exactly.
    from_unix_nano: lookBack?.from.toString(),
    to_unix_nano: lookBack?.until.toString(),
    trace_id: traceId,
    span_id: spanId,
    reason,
    max_bytes: maxBytes,
    labels,
  }
  return createEvent({
    type: EVENT_TYPE.capture,
    category: Category.REQUEST,
    ttl: ttlOfMs(recordingMs(request) + graceMs),
    target,
    parentSpan: span,
    params: defined(params) as Struct,
    // Rules route by these values.
    values: { path: `/profiles/${type}`, method: 'CAPTURE', header: headers(labels) },
  })
}

function headers(labels: Readonly<Record<string, string>> = {}): Struct {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]]))
}
