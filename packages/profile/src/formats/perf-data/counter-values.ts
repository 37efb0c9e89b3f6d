// Samples of a group have the counters of all its events instead of a period. The increase of each counter since the last sample
// is a value of its own event (`perf record -e '{cycles,instructions}:S'`).
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import type { EventAttr } from './event-attr.ts'
import type { PerfBytes } from './perf-bytes.ts'
import { ReadFormat } from './record-types.ts'
import { isBelow } from './memory-maps.ts'

/** The READ field of a sample. */
export interface ReadField {
  /** The position of the first counter, the number of counters and their distance. */
  readonly at: number
  readonly count: number
  readonly stride: number
  /** The distance from a counter's value to its id; 0 if it has no id. */
  readonly idOffset: number
  readonly end: number
}

/** Returns undefined if the field exceeds the record. */
export function readFieldAt(
  file: PerfBytes,
  { readFormat }: EventAttr,
  at: number,
  end: number,
): ReadField | undefined {
  const has = (bit: number): boolean => (readFormat & bit) !== 0
  const times = (has(ReadFormat.timeEnabled) ? 8 : 0) + (has(ReadFormat.timeRunning) ? 8 : 0)
  const behind = (has(ReadFormat.id) ? 8 : 0) + (has(ReadFormat.lost) ? 8 : 0)
  if (!has(ReadFormat.group)) {
    const idOffset = has(ReadFormat.id) ? 8 + times : 0
    const field = { at, count: 1, stride: 0, idOffset, end: at + 8 + times + behind }
    return field.end > end ? undefined : field
  }
  if (at + 8 + times > end) return undefined
  const first = at + 8 + times
  const count = file.size(at)
  const stride = 8 + behind
  const field = { at: first, count, stride, idOffset: has(ReadFormat.id) ? 8 : 0, end: first + count * stride }
  return field.end > end ? undefined : field
}

export class CounterValues {
  /** The increase since the last sample, after `advance`. */
  lo = 0
  hi = 0
  /** By id (64 bits) and thread: the counter at its last sample. */
  readonly #keys = new SequenceInterner()
  readonly #last = new GrowingInts()
  readonly #key = new Int32Array(3)

  /** `tid` distinguishes the copies of a counter that threads have inherited. */
  advance(idLo: number, idHi: number, tid: number, valueLo: number, valueHi: number): void {
    const key = this.#key
    key[0] = idLo
    key[1] = idHi
    key[2] = tid
    const row = this.#keys.intern(key, 0, 3)
    if (2 * row === this.#last.length) {
      this.#last.push(0)
      this.#last.push(0)
    }
    const last = this.#last.array
    // A counter that decreased was reset to 0 in between.
    const isReset = isBelow(valueLo, valueHi, last[2 * row], last[2 * row + 1])
    const fromLo = isReset ? 0 : last[2 * row]
    const fromHi = isReset ? 0 : last[2 * row + 1]
    this.lo = (valueLo - fromLo) | 0
    this.hi = (valueHi - fromHi - (valueLo >>> 0 < fromLo >>> 0 ? 1 : 0)) | 0
    last[2 * row] = valueLo
    last[2 * row + 1] = valueHi
  }
}
