// Finds the distinct stacks of a file. pprof has no stack table: each sample lists its locations. Samples that differ only in
// labels repeat a stack, and equal lists become one row. Most files have few repeats, and then nothing is moved.
import type { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SAMPLE_ROW } from './columns.ts'

export class SampleStacks {
  /** Pairs of row and hash; row 0 marks a free slot. The array only grows, and a file uses as much of it as it needs. */
  #slots = new Int32Array(256)

  /** The number of ints allocated. */
  get capacity(): number {
    return this.#slots.length
  }

  /**
   * Replaces the end of each sample's locations by the row of its stack. `pool` has the locations of all samples; afterwards it
   * has those of the distinct stacks, which end at `ends`.
   */
  deduplicate(samples: GrowingInts, pool: GrowingInts, ends: GrowingInts): void {
    const count = samples.length / SAMPLE_ROW
    const rows = samples.array
    const locations = pool.array
    const stackEnds = ends.reserve(count + 1)
    const mask = this.#clear(count) - 1
    const slots = this.#slots
    stackEnds[0] = 0
    let next = 1
    let kept = 0
    let from = 0
    for (let at = 0; at < count * SAMPLE_ROW; at += SAMPLE_ROW) {
      const to = rows[at]
      const hash = rows[at + 1]
      let row = 0
      if (to > from) {
        let slot = (hash << 1) & mask
        for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
          const known = slots[slot]
          if (slots[slot + 1] === hash && equal(locations, stackEnds[known - 1], stackEnds[known], from, to)) {
            row = known
            break
          }
        }
        if (row === 0) {
          row = next++
          slots[slot] = row
          slots[slot + 1] = hash
          if (kept !== from) locations.copyWithin(kept, from, to)
          kept += to - from
          stackEnds[row] = kept
        }
      }
      rows[at] = row
      from = to
    }
    pool.length = kept
    ends.length = next
  }

  /** Clears the slots and returns how many to use, so that they are at most half full. */
  #clear(count: number): number {
    let length = 256
    while (length < 4 * count) length *= 2
    if (length > this.#slots.length) this.#slots = new Int32Array(length)
    else this.#slots.fill(0, 0, length)
    return length
  }
}

function equal(ints: Int32Array, first: number, firstEnd: number, second: number, secondEnd: number): boolean {
  if (firstEnd - first !== secondEnd - second) return false
  for (let a = first, b = second; a < firstEnd; a++, b++) if (ints[a] !== ints[b]) return false
  return true
}
