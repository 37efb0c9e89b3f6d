// Validates events before routing, and compares targets with components.
import type { Component, Event } from '@hearth/broker'
import { BrokerError, Category, EVENT_TYPE, extentOf, isTimedOut, ttlOfMs } from '@hearth/broker'

const MAX_ID_LENGTH = 256
const MAX_TEXT_LENGTH = 1024
/** Time a capture needs in addition to its duration: delivery, encoding and transfer. */
const CAPTURE_SPARE_MS = 2000

const NO_SPAN = { traceId: new Uint8Array(0), spanId: new Uint8Array(0) }

/** Throws BrokerError. */
export function validate(event: Event): void {
  if (event.id === '' || event.id.length > MAX_ID_LENGTH)
    throw invalid(`event id must have 1 to ${MAX_ID_LENGTH} characters`)
  if (event.type === '' || event.type.length > MAX_ID_LENGTH)
    throw invalid(`event type must have 1 to ${MAX_ID_LENGTH} characters`)
  if (
    event.category !== Category.MESSAGE &&
    event.category !== Category.REQUEST &&
    event.category !== Category.RESPONSE
  )
    throw invalid('event category must be MESSAGE, REQUEST or RESPONSE')
  if (isTimedOut(event)) throw new BrokerError('timeout', 'the event has expired (ttl)')
  validateLengths(event)
  const { target } = event
  if (extentOf(target) === 'partial' && target?.name === '' && target.type !== 'Broker')
    throw invalid('a target must be empty, have a name, or identify one instance')
  if (event.type === EVENT_TYPE.capture && event.category === Category.REQUEST) validateCapture(event)
}

/** Limits the texts that are stored until the event is answered. */
function validateLengths({ parentId, contentType, context, target, parentSpan }: Event): void {
  const texts = { parentId, contentType, ...context, ...target, traceState: parentSpan?.traceState ?? '' }
  const long = Object.entries(texts).find(([, text]) => text.length > MAX_TEXT_LENGTH)
  if (long !== undefined) throw invalid(`${long[0]} is longer than ${MAX_TEXT_LENGTH} characters`)
  const { traceId, spanId } = parentSpan ?? NO_SPAN
  if (![0, 16].includes(traceId.length) || ![0, 8].includes(spanId.length))
    throw invalid('the parent span must have a trace_id of 16 bytes and a span_id of 8 bytes')
}

function validateCapture({ params, ttl }: Event): void {
  const duration = params['duration_ms'] ?? 0
  if (typeof duration !== 'number' || !Number.isFinite(duration) || duration < 0)
    throw invalid('duration_ms must be a number of milliseconds')
  if (ttl < ttlOfMs(duration + CAPTURE_SPARE_MS))
    throw invalid(`a capture of ${duration} ms needs a ttl of at least ${duration + CAPTURE_SPARE_MS} ms`)
}

/** Whether a component matches all given parts of a target except the name, which the caller has compared. */
export function matchesTarget(target: Component, component: Component): boolean {
  return (['type', 'app', 'hash', 'id', 'brokerId'] as const).every(
    part => target[part] === '' || target[part] === component[part],
  )
}

function invalid(message: string): BrokerError {
  return new BrokerError('invalid', message)
}
