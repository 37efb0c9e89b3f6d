// TTL is the remaining time of an event in nanoseconds. Every hop subtracts how long it held the event by its own clock, so
// clocks need not agree. An event without remaining time is timed out; 0 never means "unlimited".
import type { Event } from './event.ts'

const NANOS_PER_MS = 1_000_000

export function ttlOfMs(ms: number): bigint {
  return BigInt(Math.round(ms * NANOS_PER_MS))
}

/** Milliseconds for a timer: at least 0, and at most the limit of timers, about 24 days. */
export function msOfTtl(ttl: bigint): number {
  return Math.max(0, Math.min(Number(ttl) / NANOS_PER_MS, 2 ** 31 - 1))
}

export function isTimedOut(event: Pick<Event, 'ttl'>): boolean {
  return event.ttl <= 0n
}

/** The remaining time after holding the event for some milliseconds. */
export function ttlAfter(event: Pick<Event, 'ttl'>, heldMs: number): bigint {
  return event.ttl - ttlOfMs(Math.max(0, heldMs))
}

/** The event for the next hop. */
export function afterHolding(event: Event, heldMs: number): Event {
  return { ...event, ttl: ttlAfter(event, heldMs) }
}
