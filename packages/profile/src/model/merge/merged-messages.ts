// The distinct resources, or scopes of each resource, of many payloads. Compares content, not bytes, because attributes
// are a set by key. Decoding a resource takes microseconds, so each distinct encoding is decoded only once.
import { GrowingBytes, GrowingInts } from '../columns/growing-columns.ts'
import { BytesInterner, SequenceInterner } from '../build/intern.ts'
import type { ResourceTable, ScopeTable } from '../columns/profiles.ts'
import { RESOURCE_STRIDE } from '../columns/profiles.ts'

/** Ints of a key. */
const STRIDE = 4
const NO_BYTES = new Uint8Array(0)

export class MergedMessages {
  readonly #canonical: (bytes: Uint8Array, from: number, to: number) => Uint8Array
  /** Messages and schema URLs in their original encodings, and messages in canonical encoding. */
  readonly #bytes = new BytesInterner(new GrowingBytes())
  /** Parent, message, schema URL and unknown fields: in the original encoding, and in the canonical one. */
  readonly #spellings = new SequenceInterner()
  readonly #contents = new SequenceInterner()
  /** The row of each encoding. */
  readonly #rows = new GrowingInts()
  /** The first encoding of each row: parent, message, schema URL, unknown fields. */
  readonly #first = new GrowingInts()
  readonly #key = new Int32Array(STRIDE)

  constructor(canonical: (bytes: Uint8Array, from: number, to: number) => Uint8Array) {
    this.#canonical = canonical
  }

  get length(): number {
    return this.#contents.length
  }

  /** The row for the content of `table[i]` under the given parent, in order of first appearance. */
  row(
    parent: number,
    { ints, base, bytes }: ResourceTable | ScopeTable,
    i: number,
    unknown: Uint8Array = NO_BYTES,
  ): number {
    const at = base + i * RESOURCE_STRIDE
    const key = this.#key
    key[0] = parent
    key[1] = this.#bytes.intern(bytes, ints[at], ints[at] + ints[at + 1])
    key[2] = this.#bytes.intern(bytes, ints[at + 2], ints[at + 2] + ints[at + 3])
    key[3] = this.#bytes.intern(unknown, 0, unknown.length)
    const spelling = this.#spellings.intern(key, 0, STRIDE)
    if (spelling < this.#rows.length) return this.#rows.array[spelling]
    const message = key[1]
    const canonical = this.#canonical(bytes, ints[at], ints[at] + ints[at + 1])
    key[1] = this.#bytes.intern(canonical, 0, canonical.length)
    const row = this.#contents.intern(key, 0, STRIDE)
    this.#rows.push(row)
    if (STRIDE * row === this.#first.length) {
      key[1] = message
      this.#first.pushAll(key, 0, STRIDE)
    }
    return row
  }

  parent(row: number): number {
    return this.#first.array[STRIDE * row]
  }

  /** The unknown fields of a row. Empty if there are none. */
  unknown(row: number): Uint8Array {
    const blob = this.#first.array[STRIDE * row + 3]
    const rows = this.#bytes.rows.array
    return this.#bytes.pool.array.slice(rows[2 * blob], rows[2 * blob] + rows[2 * blob + 1])
  }

  /** Copies message and schema URL into `bytes` and appends the first columns of the row. */
  write(row: number, column: GrowingInts, bytes: GrowingBytes): void {
    const rows = this.#bytes.rows.array
    for (const blob of [this.#first.array[STRIDE * row + 1], this.#first.array[STRIDE * row + 2]]) {
      const offset = rows[2 * blob]
      const length = rows[2 * blob + 1]
      column.push(bytes.append(this.#bytes.pool.array, offset, offset + length))
      column.push(length)
    }
  }
}
