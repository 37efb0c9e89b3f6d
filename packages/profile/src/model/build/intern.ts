// Content-addressed rows: equal bytes, or equal runs of ints, get the same number. Uses open addressing over typed
// arrays, so that a table of a million rows consists of four objects.
import type { GrowingBytes } from '../columns/growing-columns.ts'
import { GrowingInts } from '../columns/growing-columns.ts'
import { HashIndex, hashBytes, hashInts } from './hash-index.ts'

const NO_BYTES = new Uint8Array(0)
const NO_VIEW = viewOf(NO_BYTES)

/** Interns byte strings. Row 0 is the empty one. */
export class BytesInterner {
  readonly pool: GrowingBytes
  /** Offset and length of each row. */
  readonly rows = new GrowingInts()
  readonly #index = new HashIndex()
  // Views over the bytes used last and over the pool. Most consecutive calls use the same payload.
  #viewed: Uint8Array = NO_BYTES
  #view = NO_VIEW
  #pooled: Uint8Array = NO_BYTES
  #poolView = NO_VIEW

  /** Several interners may share a pool. */
  constructor(pool: GrowingBytes) {
    this.pool = pool
    this.intern(pool.array, 0, 0)
  }

  get length(): number {
    return this.rows.length / 2
  }

  /** Makes room for this many rows at once. */
  expect(rows: number): void {
    this.rows.reserve(2 * rows)
    this.#index.expect(rows)
  }

  /** Removes all rows. Keeps its own memory, but releases the bytes of others. */
  clear(): void {
    this.rows.length = 0
    this.#index.clear()
    this.#viewed = NO_BYTES
    this.#view = NO_VIEW
    this.#pooled = NO_BYTES
    this.#poolView = NO_VIEW
    this.intern(this.pool.array, 0, 0)
  }

  intern(bytes: Uint8Array, from: number, to: number): number {
    if (from === to && this.rows.length > 0) return 0
    if (bytes !== this.#viewed) {
      this.#viewed = bytes
      this.#view = viewOf(bytes)
    }
    const hash = hashBytes(bytes, this.#view, from, to)
    const { slots } = this.#index
    const mask = slots.length - 1
    let slot = (hash << 1) & mask
    for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const row = slots[slot] - 1
      if (slots[slot + 1] === hash && this.#equals(row, bytes, from, to)) return row
    }
    const offset = this.pool.append(bytes, from, to)
    this.rows.push(offset)
    this.rows.push(to - from)
    return this.#index.add(slot, hash)
  }

  /**
   * Interns the bytes that the caller appended to the pool at `from`. A new row needs no copy. For a duplicate, the
   * bytes are removed again.
   */
  internTail(from: number): number {
    const { pool } = this
    const known = this.length
    const row = this.intern(pool.array, from, pool.length)
    if (row < known) pool.length = from
    return row
  }

  #equals(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const rows = this.rows.array
    if (rows[2 * row + 1] !== to - from) return false
    const pool = this.pool.array
    if (pool !== this.#pooled) {
      this.#pooled = pool
      this.#poolView = viewOf(pool)
    }
    const view = this.#view
    const poolView = this.#poolView
    let at = rows[2 * row]
    let i = from
    for (const last = to - 3; i < last; i += 4, at += 4) {
      if (poolView.getInt32(at, true) !== view.getInt32(i, true)) return false
    }
    for (; i < to; i++, at++) if (pool[at] !== bytes[i]) return false
    return true
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Interns runs of ints of any length. */
export class SequenceInterner {
  readonly pool = new GrowingInts()
  /** The end of each row's run in the pool. */
  readonly ends = new GrowingInts()
  readonly #index = new HashIndex()

  get length(): number {
    return this.ends.length
  }

  start(row: number): number {
    return row === 0 ? 0 : this.ends.array[row - 1]
  }

  end(row: number): number {
    return this.ends.array[row]
  }

  /** Makes room for `rows` rows with `ints` ints in total. */
  expect(rows: number, ints: number): void {
    this.pool.reserve(ints)
    this.ends.reserve(rows)
    this.#index.expect(rows)
  }

  clear(): void {
    this.pool.length = 0
    this.ends.length = 0
    this.#index.clear()
  }

  intern(ints: Int32Array, from: number, to: number): number {
    const tail = this.pool.reserve(to - from)
    for (let i = from, at = this.pool.length; i < to; i++) tail[at++] = ints[i]
    return this.internTail(to - from)
  }

  /**
   * Interns the `count` ints that the caller wrote behind the end of the pool, in reserved room. A new row needs no
   * copy.
   */
  internTail(count: number): number {
    const { pool } = this
    const from = pool.length
    const to = from + count
    const hash = hashInts(pool.array, from, to)
    const { slots } = this.#index
    const mask = slots.length - 1
    let slot = (hash << 1) & mask
    for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const row = slots[slot] - 1
      if (slots[slot + 1] === hash && this.#equalsTail(row, count)) return row
    }
    const row = this.length
    this.#index.put(slot, row, hash)
    this.appendTail(count)
    return row
  }

  /**
   * Adds a row of the `count` ints behind the end of the pool that `intern` will not find. For callers that know the
   * row is new and never intern it again: the index of 13 million rows would take 128 MiB.
   */
  appendTail(count: number): number {
    const row = this.length
    this.pool.length += count
    this.ends.push(this.pool.length)
    return row
  }

  #equalsTail(row: number, count: number): boolean {
    const start = this.start(row)
    if (this.ends.array[row] - start !== count) return false
    const pool = this.pool.array
    for (let i = 0, tail = this.pool.length; i < count; i++) if (pool[start + i] !== pool[tail + i]) return false
    return true
  }
}
