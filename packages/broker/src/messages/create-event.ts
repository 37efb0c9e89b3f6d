// Creates events with an id, the current time and empty other fields.
import type { Component, Event } from './event.ts'
import { Category, EVENT } from './event.ts'

const EMPTY = Object.fromEntries(
  Object.entries(EVENT.fields).map(([name, field]) => [name, field.initial]),
) as Event & {
  [name: string]: unknown
}

export function createEvent(parts: Partial<Event>): Event {
  const createTime = BigInt(Date.now()) * 1_000_000n
  return { ...EMPTY, id: globalThis.crypto.randomUUID(), createTime, ...parts }
}

/** The response goes to the sender of the request. By default it has the same type and the remaining time to live. */
export function responseTo(request: Event, source: Component, parts: Partial<Event> = {}): Event {
  return createEvent({
    parentId: request.id,
    parentSpan: request.parentSpan,
    type: request.type,
    category: Category.RESPONSE,
    ttl: request.ttl,
    context: request.context,
    source,
    target: request.source,
    ...parts,
  })
}
