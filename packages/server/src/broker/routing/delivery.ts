// An event on its way to a component, with how long it may still wait.
import type { Event, Value } from '@hearth/broker'
import { matchedEvents, ttlAfter } from '@hearth/broker'
import type { EventSpan } from '../telemetry/event-spans.ts'

export interface Delivery {
  /** Complete but for its ttl, which is that of `since`. */
  readonly event: Event
  readonly routeId: bigint
  readonly env: Readonly<Record<string, Value>>
  /** By performance.now(). */
  readonly since: number
  /** About what it takes while it waits. */
  readonly bytes: number
  /** Whether the sender named the instance, so that no other one will do. */
  readonly pinned: boolean
  /** Ends when it is handed on. */
  readonly span?: EventSpan | undefined
}

export const NO_VARIABLES: Readonly<Record<string, Value>> = Object.freeze({})

/** The event with the time that is left to it; undefined where there is none. */
export function withTimeLeft({ event, since }: Pick<Delivery, 'event' | 'since'>, now: number): Event | undefined {
  const ttl = ttlAfter(event, now - since)
  return ttl > 0n ? { ...event, ttl } : undefined
}

/** As it goes over the wire; undefined where its time is over. */
export function encodeDelivery(delivery: Delivery, now: number): Uint8Array | undefined {
  const event = withTimeLeft(delivery, now)
  if (event === undefined) return undefined
  return matchedEvents.encode({ event, routeId: delivery.routeId, env: delivery.env })
}
