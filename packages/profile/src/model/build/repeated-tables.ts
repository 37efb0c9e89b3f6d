// Recognises tables that a source has in common with the one before. Agents send the same strings and functions again and again.
// Comparing tables takes far less time than looking up each row. Both classes keep copies, because a source may reuse its memory.
import type { StringTable, Table } from '../columns/dictionary.ts'
import { STRING_STRIDE } from '../columns/dictionary.ts'
import { viewOf } from './intern.ts'

/** Larger tables are not kept. */
const MAX_BYTES = 1 << 20

export class LastStrings {
  /** -1 if no table is kept. */
  #count = -1
  #lengths = new Int32Array(0)
  #bytes = new Uint8Array(0)
  #view = viewOf(this.#bytes)

  /** Whether the table has the strings of the last call. */
  repeats(table: StringTable): boolean {
    if (this.#equals(table)) return true
    this.#keep(table)
    return false
  }

  /** The next table does not repeat any. */
  forget(): void {
    this.#count = -1
  }

  #equals({ ints, base, length, bytes }: StringTable): boolean {
    if (length !== this.#count) return false
    const view = viewOf(bytes)
    const kept = this.#bytes
    const keptView = this.#view
    let to = 0
    for (let i = 0, at = base; i < length; i++, at += STRING_STRIDE) {
      const size = ints[at + 1]
      if (size !== this.#lengths[i]) return false
      let from = ints[at]
      const end = from + size
      for (const last = end - 3; from < last; from += 4, to += 4) {
        if (view.getInt32(from, true) !== keptView.getInt32(to, true)) return false
      }
      for (; from < end; from++, to++) if (bytes[from] !== kept[to]) return false
    }
    return true
  }

  #keep({ ints, base, length, bytes }: StringTable): void {
    this.#count = -1
    let size = 0
    for (let i = 0; i < length; i++) size += ints[base + i * STRING_STRIDE + 1]
    if (size > MAX_BYTES || length > MAX_BYTES) return
    if (length > this.#lengths.length) this.#lengths = new Int32Array(2 * length)
    if (size > this.#bytes.length) {
      this.#bytes = new Uint8Array(2 * size)
      this.#view = viewOf(this.#bytes)
    }
    let to = 0
    for (let i = 0, at = base; i < length; i++, at += STRING_STRIDE) {
      this.#lengths[i] = ints[at + 1]
      for (let from = ints[at], end = from + ints[at + 1]; from < end; from++) this.#bytes[to++] = bytes[from]
    }
    this.#count = length
  }
}

export class LastRows {
  readonly #stride: number
  #count = -1
  #ints = new Int32Array(0)

  constructor(stride: number) {
    this.#stride = stride
  }

  /** Whether the table has the rows of the last call. */
  repeats({ ints, base, length }: Table): boolean {
    const size = length * this.#stride
    if (length === this.#count) {
      let i = 0
      while (i < size && ints[base + i] === this.#ints[i]) i++
      if (i === size) return true
    }
    this.#count = -1
    if (size > MAX_BYTES) return false
    if (size > this.#ints.length) this.#ints = new Int32Array(2 * size)
    for (let i = 0; i < size; i++) this.#ints[i] = ints[base + i]
    this.#count = length
    return false
  }

  forget(): void {
    this.#count = -1
  }
}
