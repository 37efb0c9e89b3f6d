// The span that a sample was taken under. Created once for each OpenTelemetry context that becomes active, and given to the
// profiler, which stores it with the sample. Names and attributes are read when samples are fetched, because instrumentations
// set the route only after the span has started. @opentelemetry/api is not imported: contexts and spans are recognised by the
// symbols that all copies of it share, so it works with the application's own copy.
import type { LabelAttribute, SampleLabels } from '../samples/sample-labels.ts'
import { NO_LABELS } from '../samples/sample-labels.ts'

/** The symbols that createContextKey makes. */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN')
const BAGGAGE_KEY = Symbol.for('OpenTelemetry Baggage Key')
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/
/** Values come from the application. A kilobyte is more than any route needs. */
const MAX_VALUE_LENGTH = 1024
/** Requests the name of the span as an attribute. */
const SPAN_NAME = 'span.name'

export interface OtelContext {
  getValue(key: symbol): unknown
}

interface OtelSpan {
  spanContext(): { readonly traceId: string; readonly spanId: string }
  // Only the SDK's spans have these.
  readonly name?: unknown
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly ended?: boolean
  readonly startTime?: HrTime
  readonly endTime?: HrTime
  /** By performance.now(). */
  readonly _performanceStartTime?: unknown
  readonly _startTimeProvided?: unknown
}

type HrTime = readonly [seconds: number, nanos: number]

interface OtelBaggage {
  getEntry(key: string): { readonly value: string } | undefined
}

export interface LabelChoice {
  readonly spanAttributes: readonly string[]
  readonly baggageKeys: readonly string[]
}

/** Given to the profiler. It keeps the span alive only until its samples are fetched. */
class SpanContext {
  readonly #traceId: string
  readonly #spanId: string
  readonly #span: OtelSpan | undefined
  readonly #choice: LabelChoice
  readonly #baggage: readonly LabelAttribute[]

  constructor(span: OtelSpan | undefined, baggage: readonly LabelAttribute[], choice: LabelChoice) {
    const ids = span?.spanContext()
    this.#traceId = ids?.traceId ?? ''
    this.#spanId = ids?.spanId ?? ''
    this.#span = span
    this.#choice = choice
    this.#baggage = baggage
  }

  /**
   * The end in Unix microseconds. `steadyZero` is when performance.now() was 0. Work may continue in the span's context after
   * its end, but it does not belong to the span.
   *
   * The SDK measures a span by the steady clock, starting from the wall-clock time read just before. On a busy machine the
   * thread may have waited between the two reads, and the span's end is too early by that time.
   */
  endedAt(steadyZero: number): number {
    const { ended, startTime, endTime, _performanceStartTime: start, _startTimeProvided: isGiven } = this.#span ?? {}
    if (ended !== true || endTime === undefined) return Infinity
    if (typeof start !== 'number' || startTime === undefined || isGiven === true) return microsOf(endTime)
    return steadyZero + start * 1e3 + microsOf(endTime) - microsOf(startTime)
  }

  /** The current values. */
  labels(): SampleLabels {
    const attributes = [...this.#baggage]
    const keys = new Set(this.#baggage.map(({ key }) => key))
    for (const key of this.#choice.spanAttributes) {
      const value = key === SPAN_NAME ? this.#span?.name : this.#span?.attributes?.[key]
      // The span overrides the baggage.
      if (!isScalar(value)) continue
      if (keys.has(key))
        attributes.splice(
          attributes.findIndex(attribute => attribute.key === key),
          1,
        )
      keys.add(key)
      attributes.push({ key, value: cut(value) })
    }
    if (this.#spanId === '') return { attributes }
    return { traceId: this.#traceId, spanId: this.#spanId, attributes }
  }

  /** The labels of a sample taken after the span ended. */
  labelsAfterEnd(): SampleLabels {
    return this.#baggage.length === 0 ? NO_LABELS : { attributes: this.#baggage }
  }
}

/** Returns quickly whether the context can have labels. Called for every context that becomes active. */
export function mayHaveLabels(context: OtelContext, { baggageKeys }: LabelChoice): boolean {
  try {
    if (context.getValue(SPAN_KEY) !== undefined) return true
    return baggageKeys.length > 0 && context.getValue(BAGGAGE_KEY) !== undefined
  } catch {
    return false
  }
}

/** Returns undefined for a context without labels. Never throws, whatever the application's objects do. */
export function spanContextOf(context: OtelContext, choice: LabelChoice): SpanContext | undefined {
  try {
    const span = spanOf(context)
    const baggage = choice.baggageKeys.length === 0 ? [] : baggageOf(context, choice.baggageKeys)
    return span === undefined && baggage.length === 0 ? undefined : new SpanContext(span, baggage, choice)
  } catch {
    return undefined
  }
}

const API = Symbol.for('opentelemetry.js.api.1')

interface Api {
  readonly context?: { active?(): OtelContext } | undefined
}

/** The ids of the active span; undefined outside of spans. Never throws. */
export function activeSpanIds(): { readonly traceId: string; readonly spanId: string } | undefined {
  try {
    const active = (globalThis as unknown as Record<symbol, Api | undefined>)[API]?.context?.active?.()
    const ids = active === undefined ? undefined : spanOf(active)?.spanContext()
    return ids === undefined ? undefined : { traceId: ids.traceId, spanId: ids.spanId }
  } catch {
    return undefined
  }
}

function microsOf([seconds, nanos]: HrTime): number {
  return seconds * 1e6 + nanos / 1e3
}

function spanOf(context: OtelContext): OtelSpan | undefined {
  const span = context.getValue(SPAN_KEY) as OtelSpan | undefined
  if (typeof span?.spanContext !== 'function') return undefined
  const { traceId, spanId } = span.spanContext()
  return TRACE_ID.test(traceId) && SPAN_ID.test(spanId) ? span : undefined
}

function baggageOf(context: OtelContext, keys: readonly string[]): LabelAttribute[] {
  const baggage = context.getValue(BAGGAGE_KEY) as OtelBaggage | undefined
  const found: LabelAttribute[] = []
  if (typeof baggage?.getEntry !== 'function') return found
  for (const key of new Set(keys)) {
    const value = baggage.getEntry(key)?.value
    if (typeof value === 'string') found.push({ key, value: cut(value) })
  }
  return found
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function cut<T extends string | number | boolean>(value: T): T | string {
  return typeof value === 'string' && value.length > MAX_VALUE_LENGTH ? value.slice(0, MAX_VALUE_LENGTH) : value
}
