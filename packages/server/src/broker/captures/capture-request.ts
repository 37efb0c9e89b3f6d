// What may be asked of a capture, within which bounds, and the events that ask for it.
import type { Component, Event, SpanContext, Struct, Value } from '@hearth/broker'
import { Category, EVENT_TYPE, createEvent, ttlOfMs } from '@hearth/broker'

export interface CaptureRequest {
  /** service.name. */
  readonly service: string
  /** deployment.environment.name; any unless given. */
  readonly environment?: string
  /** service.instance.id: only this one. */
  readonly instance?: string
  /** All instances instead of the one with the least to do. */
  readonly all: boolean
  /** As cpu or heap. */
  readonly type: string
  readonly durationMs: number
  readonly frequencyHz?: number
  /** What ran in this stretch of time, in nanoseconds since 1970, instead of what runs from now on. */
  readonly lookBack?: { readonly from: bigint; readonly until: bigint }
  /** Only samples of this trace, and of this span of it: hex. */
  readonly traceId?: string
  readonly spanId?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly reason: string
  readonly maxBytes?: number
  /** The span that asks: hex. */
  readonly parent?: SpanIds
}

export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

export interface CaptureLimits {
  /** Captures of a tenant at a time, */
  readonly running: number
  /** and instances that one may ask. */
  readonly instances: number
  readonly durationMs: number
  /** Of one instance's answer. */
  readonly bytes: number
}

/** Ten minutes are more than anyone waits for; 16 MiB is what an event may hold. */
export const CAPTURE_LIMITS: CaptureLimits = { running: 32, instances: 1000, durationMs: 600_000, bytes: 15 * 2 ** 20 }

/** What an answer may take beyond the recording: to be written, sent, and waited for on a busy machine. */
export const GRACE_MS = 10_000

export type CaptureFault = 'argument' | 'not-found' | 'busy'

/** A capture that cannot be started. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError'
  readonly fault: CaptureFault

  constructor(fault: CaptureFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** How long a recording takes: none where one looks back. */
export function recordingMs({ durationMs, lookBack }: CaptureRequest): number {
  return lookBack === undefined ? durationMs : 0
}

export function captureEvent(captureId: string, request: CaptureRequest, target: Component, span: SpanContext): Event {
  const { type, frequencyHz, lookBack, traceId, spanId, labels, reason, maxBytes } = request
  const params: Record<string, Value | undefined> = {
    capture_id: captureId,
    profile_type: type,
    duration_ms: lookBack === undefined ? request.durationMs : undefined,
    frequency_hz: frequencyHz,
    timestamps: true,
    // As texts, since doubles lose nanoseconds.
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
    ttl: ttlOfMs(recordingMs(request) + GRACE_MS),
    target,
    parentSpan: span,
    params: given(params),
    // By which rules route it.
    values: { path: `/profiles/${type}`, method: 'CAPTURE', header: headers(labels) },
  })
}

function headers(labels: Readonly<Record<string, string>> = {}): Struct {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]]))
}

function given(values: Readonly<Record<string, Value | undefined>>): Struct {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Struct
}
