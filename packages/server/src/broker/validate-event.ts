// What an event must be before it is routed, and whether a target is what a component is.
import type { Component, Event } from '@hearth/broker'
import { BrokerError, Category, EVENT_TYPE, extentOf, isTimedOut, ttlOfMs } from '@hearth/broker'

const LONGEST_ID = 256
/** What a capture needs beside its duration, to be told, made and sent. */
const CAPTURE_SPARE_MS = 2000

/** Throws BrokerError. */
export function validate(event: Event): void {
  if (event.id === '' || event.id.length > LONGEST_ID) throw invalid(`the event's id has 1 to ${LONGEST_ID} characters`)
  if (event.type === '' || event.type.length > LONGEST_ID) throw invalid('the event has no type')
  if (
    event.category !== Category.MESSAGE &&
    event.category !== Category.REQUEST &&
    event.category !== Category.RESPONSE
  )
    throw invalid('the event is neither MESSAGE nor REQUEST nor RESPONSE')
  if (isTimedOut(event)) throw new BrokerError('timeout', 'the event has no time left (ttl)')
  const { target } = event
  if (extentOf(target) === 'partial' && target?.name === '' && target.type !== 'Broker')
    throw invalid('a target is empty, or has a name, or names one instance')
  if (event.type === EVENT_TYPE.capture && event.category === Category.REQUEST) validateCapture(event)
}

function validateCapture({ params, ttl }: Event): void {
  const duration = params['duration_ms'] ?? 0
  if (typeof duration !== 'number' || !(duration >= 0)) throw invalid('duration_ms is not a number of milliseconds')
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
