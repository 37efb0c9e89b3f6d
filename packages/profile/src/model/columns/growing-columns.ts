// Columns whose final length is not known: typed arrays that grow when they are full.

// `set(subarray)` costs about 100 ns before the first element: a loop wins below some 40 of them.
const LOOP_BELOW = 40

// An allocation costs 700 ns however small it is, so short arrays make few steps. While a long one grows, both are in memory,
// and what is not filled in the end is lost: so these grow by half.
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

  pushAll(source: Int32Array, from: number, to: number): void {
    const target = this.reserve(to - from)
    let at = this.length
    if (to - from < LOOP_BELOW) for (let i = from; i < to; i++) target[at++] = source[i]
    else target.set(source.subarray(from, to), at)
    this.length += to - from
  }

  /** What has been pushed, as a view. */
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

  constructor(capacity = 256) {
    this.array = new Uint8Array(capacity)
  }

  /** Starts over with bytes that are there already; ranges of them are then appended without a copy. */
  over(bytes: Uint8Array): void {
    this.array = bytes
    this.length = bytes.length
  }

  /** Appends a copy of `source[from, to)` and returns where it begins. What lies in the column itself is not copied. */
  append(source: Uint8Array, from: number, to: number): number {
    if (source === this.array) return from
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
}
