// Decides whether two profiles can share one message, for drafts whose messages have one header for several types.
import type { Profiles } from '../../model/columns/profiles.ts'
import { ProfileColumn } from '../../model/columns/profiles.ts'

/** Compares the columns [from, to) of the model, the id, the original payload and the number of dropped attributes. */
export function isSameHeader(
  { profiles, dictionary }: Profiles,
  a: number,
  b: number,
  from: number,
  to: number,
): boolean {
  for (let column = from; column < to; column++) {
    if (profiles.column(a, column) !== profiles.column(b, column)) return false
  }
  if (profiles.droppedAttributes(a) !== profiles.droppedAttributes(b)) return false
  const { bytes } = dictionary
  for (const column of [ProfileColumn.idOffset, ProfileColumn.formatOffset, ProfileColumn.payloadOffset]) {
    const length = profiles.column(a, column + 1)
    if (profiles.column(b, column + 1) !== length) return false
    const one = profiles.column(a, column)
    const other = profiles.column(b, column)
    for (let i = 0; i < length && one !== other; i++) if (bytes[one + i] !== bytes[other + i]) return false
  }
  return true
}
