// How long to wait before the next try: twice as long every time up to half a minute, with jitter, so that the processes of a
// fleet do not come back all at once. What the server asks for goes first.

export interface BackOffLimits {
  readonly firstMillis: number
  readonly mostMillis: number
}

export const BACK_OFF: BackOffLimits = { firstMillis: 1000, mostMillis: 30_000 }

/** A server may ask for more patience than the agent has, but not without end. */
const MOST_ASKED_MILLIS = 300_000

/** `failures` in a row, at least one. */
export function waitMillis(
  failures: number,
  asked: number | undefined,
  { firstMillis, mostMillis }: BackOffLimits = BACK_OFF,
  random: () => number = Math.random,
): number {
  if (asked !== undefined) return Math.min(asked, MOST_ASKED_MILLIS) * (1 + 0.1 * random())
  const whole = Math.min(mostMillis, firstMillis * 2 ** Math.min(failures - 1, 30))
  return whole * (0.5 + 0.5 * random())
}
