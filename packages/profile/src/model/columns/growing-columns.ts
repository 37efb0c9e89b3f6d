// Columns of unknown final length: typed arrays that grow when full.
import { highHalf, lowHalf } from './int64.ts'
import type { ReusedMemory } from './reused-memory.ts'
import { bytesWithRoom } from './spare-room.ts'

// `set(subarray)` costs about 100 ns before the first element, so a loop is faster below about 40 elements.
const LOOP_BELOW = 40

// An allocation costs 700 ns even for small arrays, so short arrays grow in few steps. Long arrays grow by half: the
// old and the new array are in memory at once, and the unused rest is wasted.
const QUADRUPLE_BELOW = 1 << 12
const DOUBLE_BELOW = 1 << 21

function grownLength(length: number, need: number): number {
  const factor = length < QUADRUPLE_BELOW ? 4 : length < DOUBLE_BELOW ? 2 : 1.5
  return Math.max(need, Math.floor(length * factor))
}

export class GrowingInts {
  array: Int32Array
  length = 0

  constructor(capacity = 64) {
    this.array = new Int32Array(capacity)
  }

  /** Makes room for `count` more; returns the array, which may be a new one. */
  reserve(count: number): Int32Array {
    const need = this.length + count
    if (need > this.array.length) {
      const grown = new Int32Array(grownLength(this.array.length, need))
      grown.set(this.array.subarray(0, this.length))
      this.array = grown
    }
    return this.array
  }

  push(value: number): void {
    if (this.length === this.array.length) this.reserve(1)
    this.array[this.length++] = value
  }

  /** Pushes the low and the high half. */
  pushLong(value: bigint): void {
    this.push(lowHalf(value))
    this.push(highHalf(value))
  }

  pushAll(source: Int32Array, from: number, to: number): void {
    const target = this.reserve(to - from)
    let at = this.length
    if (to - from < LOOP_BELOW) for (let i = from; i < to; i++) target[at++] = source[i]
    else target.set(source.subarray(from, to), at)
    this.length += to - from
  }

  /** A view of the pushed values. */
  view(): Int32Array {
    return this.array.subarray(0, this.length)
  }
}

export class GrowingLongs {
  array = new BigInt64Array(64)
  length = 0

  push(value: bigint): void {
    if (this.length === this.array.length) {
      const grown = new BigInt64Array(grownLength(this.array.length, this.length + 1))
      grown.set(this.array)
      this.array = grown
    }
    this.array[this.length++] = value
  }
}

export class GrowingBytes {
  array: Uint8Array
  length = 0
  /** The bytes that the content began with. They stay at their place when the column grows. */
  #origin: Uint8Array | undefined

  constructor(capacity = 256) {
    this.array = new Uint8Array(capacity)
  }

  /** Replaces the content by existing bytes. Ranges of them are then appended without a copy. */
  over(bytes: Uint8Array): void {
    this.array = bytes
    this.length = bytes.length
    this.#origin = bytes
  }

  /** Appends a copy of `source[from, to)` and returns its start. Bytes of the column itself are not copied. */
  append(source: Uint8Array, from: number, to: number): number {
    if (source === this.array || source === this.#origin) return from
    const start = this.length
    const need = start + to - from
    if (need > this.array.length) {
      const grown = new Uint8Array(grownLength(this.array.length, need))
      grown.set(this.array.subarray(0, start))
      this.array = grown
    }
    const { array } = this
    if (to - from < LOOP_BELOW) for (let i = from, at = start; i < to; i++) array[at++] = source[i]
    else array.set(source.subarray(from, to), start)
    this.length = need
    return start
  }

  /** Returns `bytes` followed by the content. */
  appendedTo(bytes: Uint8Array, memory?: ReusedMemory): Uint8Array {
    if (this.length === 0) return bytes
    const length = bytes.length + this.length
    const all = memory === undefined ? bytesWithRoom(length) : memory.bytesWithRoom(length)
    all.set(bytes)
    all.set(this.array.subarray(0, this.length), bytes.length)
    return all
  }
}
