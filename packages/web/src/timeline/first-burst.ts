// The first samples of a sparse flame chart. Zoomed out to the whole time, its boxes would be too narrow to see.
import type { CallTree } from '@hearth/profile'

/** A burst that fills less than this part of the time is too narrow to read. */
const NARROW = 0.3
/** In shorter times, in nanoseconds, samples are near enough to each other. */
const MIN_WHOLE = 10e9
/** A pause at least this long, in nanoseconds, ends a burst if it is also longer than the burst. */
const PAUSE = 1e9
/** The room on both sides, relative to the length of the burst. */
const ROOM = 0.02

/** The time of the first burst, in nanoseconds from the start. Undefined if the whole time is readable. */
export function firstBurst(tree: CallTree): { readonly from: number; readonly until: number } | undefined {
  if (tree.times === undefined || tree.length === 0) return undefined
  const { start, whole } = tree.times
  if (whole < MIN_WHOLE) return undefined
  const from = start[0]
  let until = from
  for (let i = 0; i < tree.length; i = tree.end[i]) {
    if (start[i] - until > Math.max(PAUSE, 2 * (until - from))) break
    until = Math.max(until, start[i] + tree.total[i])
  }
  const length = until - from
  if (length <= 0 || length > NARROW * whole) return undefined
  return { from: Math.max(0, from - ROOM * length), until: Math.min(whole, until + ROOM * length) }
}
