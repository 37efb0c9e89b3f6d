// The steady clock as times of the day.
import { performance } from 'node:perf_hooks'

/**
 * When performance.now() was 0, in Unix microseconds as of now: performance.timeOrigin is of the process's start, and the clock
 * of the day has been set since. Of three looks the shortest, in which the thread did not wait for its turn.
 */
export function steadyZero(): number {
  let zero = 0
  let shortest = Infinity
  for (let look = 0; look < 3; look++) {
    const before = performance.now()
    const day = Date.now()
    const took = performance.now() - before
    if (took >= shortest) continue
    shortest = took
    zero = (day - before) * 1e3
  }
  return zero
}
