// TTL is the time that an event has left, in nanoseconds. Every hop takes away how long it held the event by its own clock,
// so clocks that disagree do no harm. What has nothing left is timed out; 0 is never "for ever".
import type { Event } from './event.ts'

const NANOS_PER_MS = 1_000_000

export function ttlOfMs(ms: number): bigint {
  return BigInt(Math.round(ms * NANOS_PER_MS))
}

/** For timers: at least 0, and at most what a timer takes, some 24 days. */
export function msOfTtl(ttl: bigint): number {
  return Math.max(0, Math.min(Number(ttl) / NANOS_PER_MS, 2 ** 31 - 1))
}

export function isTimedOut(event: Pick<Event, 'ttl'>): boolean {
  return event.ttl <= 0n
}

/** What is left after holding the event for some milliseconds. */
export function ttlAfter(event: Pick<Event, 'ttl'>, heldMs: number): bigint {
  return event.ttl - ttlOfMs(Math.max(0, heldMs))
}

/** The event as the next hop gets it. */
export function afterHolding(event: Event, heldMs: number): Event {
  return { ...event, ttl: ttlAfter(event, heldMs) }
}
