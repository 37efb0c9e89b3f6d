// The different stacks of a file. pprof has no table of them: each sample lists its locations. Samples that differ by labels
// only repeat a stack, so equal runs become one row; most files have few of those, and then nothing is moved.
import type { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SAMPLE_ROW } from './columns.ts'

export class SampleStacks {
  /** Row and hash; row 0 is free. Grows only; a file uses as much of it as it needs. */
  #slots = new Int32Array(256)

  /** How many ints there is room for. */
  get capacity(): number {
    return this.#slots.length
  }

  /**
   * Puts the row of its stack in place of the end of each sample's run. `pool` has the runs, one behind the other, and is
   * left with those of the different stacks, which end at `ends`.
   */
  settle(samples: GrowingInts, pool: GrowingInts, ends: GrowingInts): void {
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

  /** Returns how much of the slots to use: they get half full at most. */
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
