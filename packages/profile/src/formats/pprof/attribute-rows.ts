// Attributes, strings and byte values that are added to a payload's own: rows of the draft's tables, with their bytes in an
// appendix behind the payload.
import type { AnyValue, KeyValueList } from '../../model/any-value.ts'
import { encodeNested, isKeyValueList } from '../../model/any-value.ts'
import { ValueKind } from '../../model/dictionary.ts'
import { GrowingBytes } from '../../model/growing-columns.ts'
import type { GrowingInts } from '../../model/growing-columns.ts'
import type { ProfilesDraft } from '../../model/profiles-draft.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'

export class AttributeRows {
  readonly #draft: ProfilesDraft
  readonly #bytes: Uint8Array
  readonly #appendix = new GrowingBytes(1024)
  readonly #names = new Map<string, number>()
  readonly #texts = new Map<string, number>()

  constructor(draft: ProfilesDraft, bytes: Uint8Array) {
    this.#draft = draft
    this.#bytes = bytes
    for (let i = 0; i < 5; i++) draft.attributes.push(0)
  }

  /** Takes over the payload's string table; broken UTF-8 is replaced, and counted. */
  addStrings(rows: GrowingInts): number {
    const { strings } = this.#draft
    const { array, length } = rows
    let invalid = 0
    strings.pushAll(array, 0, length)
    for (let at = 0; at < length; at += 2) {
      const from = array[at]
      if (isUtf8(this.#bytes, from, from + array[at + 1])) continue
      const mended = encodeUtf8(decodeUtf8(this.#bytes, from, from + array[at + 1]))
      strings.array[at] = this.append(mended)
      strings.array[at + 1] = mended.length
      invalid++
    }
    return invalid
  }

  /** Returns where the bytes begin. */
  append(bytes: Uint8Array): number {
    return this.#bytes.length + this.#appendix.append(bytes, 0, bytes.length)
  }

  slice(offset: number, length: number): Uint8Array {
    const base = this.#bytes.length
    if (offset < base) return this.#bytes.subarray(offset, offset + length)
    return this.#appendix.array.subarray(offset - base, offset - base + length)
  }

  /** The string row of an attribute's name. */
  name(key: string): number {
    let row = this.#names.get(key)
    if (row === undefined) {
      const bytes = encodeUtf8(key)
      const { strings } = this.#draft
      row = strings.length / 2
      strings.push(this.append(bytes))
      strings.push(bytes.length)
      this.#names.set(key, row)
    }
    return row
  }

  /** A true bool. */
  bool(key: string): number {
    return this.#once(`${key} true`, () => this.row(this.name(key), 0, ValueKind.bool, 1, 0))
  }

  /** A string that stands in the string table. */
  text(key: string, string: number): number {
    return this.#once(`${key} ${string}`, () => {
      const { array } = this.#draft.strings
      return this.row(this.name(key), 0, ValueKind.string, array[2 * string], array[2 * string + 1])
    })
  }

  nested(key: number, value: readonly AnyValue[] | KeyValueList, unit = 0): number {
    const bytes = encodeNested(value)
    const kind = isKeyValueList(value) ? ValueKind.keyValues : ValueKind.array
    return this.row(key, unit, kind, this.append(bytes), bytes.length)
  }

  row(key: number, unit: number, kind: number, a: number, b: number): number {
    const { attributes } = this.#draft
    const array = attributes.reserve(5)
    const at = attributes.length
    array[at] = key
    array[at + 1] = unit
    array[at + 2] = kind
    array[at + 3] = a
    array[at + 4] = b
    attributes.length = at + 5
    return at / 5
  }

  /** The payload with the appendix behind it: what all ranges point into. */
  finish(): Uint8Array {
    const { array, length } = this.#appendix
    if (length === 0) return this.#bytes
    const all = new Uint8Array(this.#bytes.length + length)
    all.set(this.#bytes)
    all.set(array.subarray(0, length), this.#bytes.length)
    return all
  }

  #once(key: string, make: () => number): number {
    let row = this.#texts.get(key)
    if (row === undefined) this.#texts.set(key, (row = make()))
    return row
  }
}
