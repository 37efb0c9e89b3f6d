// What an event must be before it is routed, and whether a target is what a component is.
import type { Component, Event } from '@hearth/broker'
import { BrokerError, Category, EVENT_TYPE, extentOf, isTimedOut, ttlOfMs } from '@hearth/broker'

const LONGEST_ID = 256
const LONGEST_TEXT = 1024
/** What a capture needs beside its duration, to be told, made and sent. */
const CAPTURE_SPARE_MS = 2000

const NO_SPAN = { traceId: new Uint8Array(0), spanId: new Uint8Array(0) }

/** Throws BrokerError. */
export function validate(event: Event): void {
  if (event.id === '' || event.id.length > LONGEST_ID) throw invalid(`the event's id has 1 to ${LONGEST_ID} characters`)
  if (event.type === '' || event.type.length > LONGEST_ID)
    throw invalid(`the event's type has 1 to ${LONGEST_ID} characters`)
  if (
    event.category !== Category.MESSAGE &&
    event.category !== Category.REQUEST &&
    event.category !== Category.RESPONSE
  )
    throw invalid('the event is neither MESSAGE nor REQUEST nor RESPONSE')
  if (isTimedOut(event)) throw new BrokerError('timeout', 'the event has no time left (ttl)')
  validateLengths(event)
  const { target } = event
  if (extentOf(target) === 'partial' && target?.name === '' && target.type !== 'Broker')
    throw invalid('a target is empty, or has a name, or names one instance')
  if (event.type === EVENT_TYPE.capture && event.category === Category.REQUEST) validateCapture(event)
}

/** Who and what an event is about is remembered for as long as it is not answered. */
function validateLengths({ parentId, contentType, context, target, parentSpan }: Event): void {
  const texts = { parentId, contentType, ...context, ...target, traceState: parentSpan?.traceState ?? '' }
  const long = Object.entries(texts).find(([, text]) => text.length > LONGEST_TEXT)
  if (long !== undefined) throw invalid(`${long[0]} has more than ${LONGEST_TEXT} characters`)
  const { traceId, spanId } = parentSpan ?? NO_SPAN
  if (![0, 16].includes(traceId.length) || ![0, 8].includes(spanId.length))
    throw invalid('the trace_id of the parent span has 16 bytes and its span_id 8')
}

function validateCapture({ params, ttl }: Event): void {
  const duration = params['duration_ms'] ?? 0
  if (typeof duration !== 'number' || !Number.isFinite(duration) || duration < 0)
    throw invalid('duration_ms is not a number of milliseconds')
  if (ttl < ttlOfMs(duration + CAPTURE_SPARE_MS))
    throw invalid(`a capture of ${duration} ms needs a ttl of at least ${duration + CAPTURE_SPARE_MS} ms`)
}

/** Whether all that a target says is so of a component; its name is compared by whoever looked it up. */
export function fits(target: Component, component: Component): boolean {
  return (['type', 'app', 'hash', 'id', 'brokerId'] as const).every(
    part => target[part] === '' || target[part] === component[part],
  )
}

function invalid(message: string): BrokerError {
  return new BrokerError('invalid', message)
}
