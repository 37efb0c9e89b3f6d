// Converts the steady clock to wall-clock time.
import { performance } from 'node:perf_hooks'

/**
 * Returns when performance.now() was 0, in Unix microseconds. performance.timeOrigin dates from the start of the process, and
 * the wall clock may have been set since. Uses the shortest of three reads, in which the thread did not wait.
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
