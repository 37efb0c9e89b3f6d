// Drops samples during lenient reading whose locations are missing or whose number of values differs from the number of types.
import type { PprofColumns } from './columns.ts'
import { SAMPLE_ROW } from './columns.ts'

/** Must run before locations become stacks. Returns the number of dropped samples. */
export function dropInvalidSamples(columns: PprofColumns, types: number, hasLocation: (id: number) => boolean): number {
  const { samples, values, labels, draft } = columns
  const { array: rows } = samples
  const locations = draft.stackLocations
  const lists = [locations, labels.list, values]
  const froms = [0, 0, 0]
  const kept = [0, 0, 0]
  let to = 0
  for (let at = 0; at < samples.length; at += SAMPLE_ROW) {
    const ends = [rows[at], rows[at + 2], 2 * rows[at + 3]]
    let isSound = ends[2] - froms[2] === 2 * types
    for (let k = froms[0]; k < ends[0] && isSound; k++) isSound = hasLocation(locations.array[k])
    if (isSound) {
      for (const [i, { array }] of lists.entries()) {
        array.copyWithin(kept[i], froms[i], ends[i])
        kept[i] += ends[i] - froms[i]
      }
      rows[to] = kept[0]
      rows[to + 1] = rows[at + 1]
      rows[to + 2] = kept[1]
      rows[to + 3] = kept[2] / 2
      to += SAMPLE_ROW
    }
    for (let i = 0; i < 3; i++) froms[i] = ends[i]
  }
  const dropped = (samples.length - to) / SAMPLE_ROW
  samples.length = to
  for (const [i, list] of lists.entries()) list.length = kept[i]
  return dropped
}
