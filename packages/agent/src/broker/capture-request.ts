// Reads the parameters of a capture request from its event. Invalid values are errors that the requester receives.
import type { Event, Struct, Value } from '@hearth/broker'
import { BrokerError, isStruct, msOfTtl } from '@hearth/broker'
import type { ProfileKind } from '../record/recorder-options.ts'

export interface CaptureRequest {
  readonly captureId: string
  readonly kind: ProfileKind
  /** How long to record from now on. 0 means to return existing samples. */
  readonly durationMs: number
  /** Unix nanoseconds. Set for a capture of the past. */
  readonly from: bigint | undefined
  readonly until: bigint | undefined
  readonly traceId: string | undefined
  readonly spanId: string | undefined
  /** Only this thread. */
  readonly threadId: bigint | undefined
  /** The requested samples per second. */
  readonly frequencyHz: number | undefined
  readonly timestamps: boolean
  readonly maxBytes: number
  readonly reason: string
  readonly labels: Readonly<Record<string, string>>
}

export interface CaptureBounds {
  /** The kinds that are recorded. */
  readonly kinds: readonly ProfileKind[]
  /** The threads that are recorded. */
  readonly threadIds: readonly bigint[]
  readonly maxDurationMs: number
  readonly maxBytes: number
}

const DEFAULT_DURATION_MS = 10_000
/** The time reserved for the response. */
export const RESPONSE_MS = 2000
const MAX_LABELS = 32

const KIND_NAMES: Readonly<Record<string, ProfileKind>> = {
  cpu: 'cpu',
  wall: 'wall',
  heap: 'heap',
  alloc: 'allocations',
  allocations: 'allocations',
  events: 'events',
  waits: 'waits',
}

/** `env` contains the limits of the environment. Throws a BrokerError if a value is invalid. */
export function readCaptureRequest(event: Event, env: Struct, bounds: CaptureBounds): CaptureRequest {
  const params = new Params(event.params)
  const kind = kindOf(params.text('profile_type') ?? '', bounds.kinds)
  const threadId = params.whole('thread_id')
  if (threadId !== undefined && !bounds.threadIds.includes(threadId))
    throw new BrokerError(
      'notFound',
      `thread ${threadId} is not recorded; recorded threads: ${bounds.threadIds.join(', ')}`,
    )
  const frequencyHz = params.number('frequency_hz')
  if (frequencyHz !== undefined && frequencyHz <= 0) throw invalid('frequency_hz is ${frequencyHz}; it must be above 0')
  const request = {
    captureId: params.text('capture_id') ?? event.id,
    kind,
    ...rangeOf(params, event, env, bounds),
    traceId: params.id('trace_id', 16),
    spanId: params.id('span_id', 8),
    threadId,
    frequencyHz,
    timestamps: params.value('timestamps') !== false,
    maxBytes: Math.min(params.number('max_bytes') ?? Infinity, bounds.maxBytes),
    reason: params.text('reason') ?? '',
    labels: labelsOf(params.value('labels')),
  }
  const isOfSpan = request.traceId !== undefined || request.spanId !== undefined
  if ((kind === 'heap' || kind === 'allocations') && (isOfSpan || request.from !== undefined))
    throw invalid('heap profiles have neither times nor spans; remove the time range, trace_id and span_id')
  return request
}

function kindOf(name: string, recorded: readonly ProfileKind[]): ProfileKind {
  const kind = Object.hasOwn(KIND_NAMES, name) ? KIND_NAMES[name] : undefined
  if (kind !== undefined && recorded.includes(kind)) return kind
  throw new BrokerError('notFound', `profile type "${name}" is not recorded; recorded types: ${recorded.join(', ')}`)
}

function rangeOf(
  params: Params,
  event: Event,
  env: Struct,
  bounds: CaptureBounds,
): Pick<CaptureRequest, 'durationMs' | 'from' | 'until'> {
  const from = params.whole('from_unix_nano')
  const until = params.whole('to_unix_nano')
  if (from !== undefined || until !== undefined) {
    if (from !== undefined && until !== undefined && from > until) throw invalid('from_unix_nano is after to_unix_nano')
    return { durationMs: 0, from: from ?? 0n, until }
  }
  const durationMs = params.number('duration_ms') ?? DEFAULT_DURATION_MS
  const limit = typeof env['MAX_DURATION_MS'] === 'number' ? env['MAX_DURATION_MS'] : Infinity
  const max = Math.min(limit, bounds.maxDurationMs)
  if (!(durationMs >= 0 && durationMs <= max))
    throw invalid(`duration_ms is ${durationMs}; it must be from 0 to ${max}`)
  if (msOfTtl(event.ttl) < durationMs + RESPONSE_MS)
    throw invalid(`the time to live is too short; it must be at least duration_ms + ${RESPONSE_MS} ms`)
  return { durationMs, from: undefined, until: undefined }
}

function labelsOf(value: Value | undefined): Readonly<Record<string, string>> {
  if (!isStruct(value)) return {}
  const entries = Object.entries(value).flatMap(([key, each]) =>
    typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean' ? [[key, String(each)]] : [],
  )
  return Object.fromEntries(entries.slice(0, MAX_LABELS)) as Readonly<Record<string, string>>
}

function invalid(what: string): BrokerError {
  return new BrokerError('invalid', what)
}

class Params {
  readonly #values: Struct

  constructor(values: Struct) {
    this.#values = values
  }

  value(name: string): Value | undefined {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined
    return value === '' ? undefined : (value ?? undefined)
  }

  text(name: string): string | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string') throw invalid(`${name} is not a string`)
    return value
  }

  number(name: string): number | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    // People and rules write numbers as strings.
    const number = typeof value === 'string' ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) throw invalid(`${name} is not a number`)
    return number
  }

  /** A decimal string, because doubles lose nanoseconds, or a number if it is exact. */
  whole(name: string): bigint | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
    if (typeof value !== 'string' || !/^\d{1,20}$/.test(value))
      throw invalid(`${name} is not a whole number in decimal digits`)
    return BigInt(value)
  }

  /** Hexadecimal. */
  id(name: string, bytes: number): string | undefined {
    const text = this.text(name)?.toLowerCase()
    if (text !== undefined && !(text.length === bytes * 2 && /^[0-9a-f]+$/.test(text)))
      throw invalid(`${name} is not ${bytes} bytes in hexadecimal`)
    return text
  }
}
