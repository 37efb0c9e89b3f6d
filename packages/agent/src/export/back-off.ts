// The wait before a retry: doubled each time up to 30 seconds, with jitter, so that a fleet of processes does not retry at the
// same moment. A delay that the server requests has priority.

export interface BackOffLimits {
  readonly firstMillis: number
  readonly maxMillis: number
}

export const BACK_OFF: BackOffLimits = { firstMillis: 1000, maxMillis: 30_000 }

/** The maximum delay that a server can request. */
const MAX_REQUESTED_MILLIS = 300_000

/** `failures` is the number of consecutive failures, at least 1. */
export function waitMillis(
  failures: number,
  requestedMillis: number | undefined,
  { firstMillis, maxMillis }: BackOffLimits = BACK_OFF,
  random: () => number = Math.random,
): number {
  if (requestedMillis !== undefined) return Math.min(requestedMillis, MAX_REQUESTED_MILLIS) * (1 + 0.1 * random())
  const whole = Math.min(maxMillis, firstMillis * 2 ** Math.min(failures - 1, 30))
  return whole * (0.5 + 0.5 * random())
}
