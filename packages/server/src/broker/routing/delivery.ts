// An event on its way to a component, with its remaining time to live.
import type { BrokerError, Event, Value } from '@hearth/broker'
import { matchedEvents, ttlAfter } from '@hearth/broker'
import type { EventSpan } from '../telemetry/event-spans.ts'
import type { Sender } from './sender.ts'

export interface Delivery {
  /** The routed event. Its ttl was measured at `since`. */
  readonly event: Event
  readonly routeId: bigint
  readonly env: Readonly<Record<string, Value>>
  /** A performance.now() timestamp. */
  readonly since: number
  /** Approximate memory use while it waits. */
  readonly bytes: number
  /** The sender named this instance, so no replica may receive it instead. */
  readonly pinned: boolean
  /** Ends when the event is sent. */
  readonly span?: EventSpan | undefined
  /** Waits if the receiver has no room. Undefined if the event is dropped instead. */
  readonly sender?: Sender | undefined
  /** Called if the event was accepted and is not delivered. */
  readonly onDropped?: ((error: BrokerError) => void) | undefined
}

export const NO_VARIABLES: Readonly<Record<string, Value>> = Object.freeze({})

/** The event with its remaining ttl, or undefined if it has expired. */
function withTimeLeft({ event, since }: Pick<Delivery, 'event' | 'since'>, now: number): Event | undefined {
  const ttl = ttlAfter(event, now - since)
  return ttl > 0n ? { ...event, ttl } : undefined
}

/** The encoded MatchedEvent, or undefined if it has expired. */
export function encodeDelivery(delivery: Delivery, now: number): Uint8Array | undefined {
  const event = withTimeLeft(delivery, now)
  if (event === undefined) return undefined
  return matchedEvents.encode({ event, routeId: delivery.routeId, env: delivery.env })
}
