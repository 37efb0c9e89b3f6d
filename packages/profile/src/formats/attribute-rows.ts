// Rows for the attributes, strings and byte values that the reader adds to those of the file. Their bytes go into an appendix
// after the payload.
import type { AnyValue, KeyValueList } from '../model/columns/any-value.ts'
import { encodeNested, isKeyValueList } from '../model/columns/any-value.ts'
import { ValueKind } from '../model/columns/dictionary.ts'
import { GrowingBytes, GrowingInts } from '../model/columns/growing-columns.ts'
import type { ProfilesDraft } from '../model/columns/profiles-draft.ts'
import type { ReusedMemory } from '../model/columns/reused-memory.ts'
import { decodeUtf8, encodeUtf8 } from '../wire/utf8.ts'

const NO_BYTES = new Uint8Array(0)
/** A larger appendix is not reused for the next payload. */
const MAX_REUSED_APPENDIX = 1 << 20

/** The program uses about twenty names. Encoding one takes longer than the rest of its attribute. */
const encodedNames = new Map<string, Uint8Array>()

function encodedName(name: string): Uint8Array {
  let bytes = encodedNames.get(name)
  if (bytes === undefined) encodedNames.set(name, (bytes = encodeUtf8(name)))
  return bytes
}

export class AttributeRows {
  readonly #draft: ProfilesDraft
  #bytes: Uint8Array = NO_BYTES
  #appendix = new GrowingBytes(1024)
  readonly #names = new Map<string, number>()
  /** The last name and its row. Consecutive attributes often have the same name. */
  #lastName: string | undefined
  #lastNameRow = 0
  readonly #bools = new Map<string, number>()
  /** Attribute row by string row. 0 means none. */
  readonly #texts = new GrowingInts()

  constructor(draft: ProfilesDraft) {
    this.#draft = draft
  }

  /** Starts over for a payload. */
  over(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#appendix.length = 0
    // Clearing a map allocates, even if it is empty.
    if (this.#names.size > 0) this.#names.clear()
    if (this.#bools.size > 0) this.#bools.clear()
    this.#lastName = undefined
    this.#texts.length = 0
    if (this.#appendix.array.length > MAX_REUSED_APPENDIX) this.#appendix = new GrowingBytes(1024)
  }

  /** Drops the reference to the payload so that it can be collected. */
  release(): void {
    this.#bytes = NO_BYTES
  }

  /** Returns the offset at which the bytes begin. */
  append(bytes: Uint8Array): number {
    return this.#bytes.length + this.#appendix.append(bytes, 0, bytes.length)
  }

  /** The text of a row of the string table. */
  stringText(string: number): string {
    const { array } = this.#draft.strings
    const offset = array[2 * string]
    const length = array[2 * string + 1]
    const base = this.#bytes.length
    if (offset < base) return decodeUtf8(this.#bytes, offset, offset + length)
    return decodeUtf8(this.#appendix.array, offset - base, offset - base + length)
  }

  /** The string row of an attribute's name. */
  name(key: string): number {
    if (key === this.#lastName) return this.#lastNameRow
    let row = this.#names.get(key)
    if (row === undefined) {
      const bytes = encodedName(key)
      const { strings } = this.#draft
      row = strings.length / 2
      strings.push(this.append(bytes))
      strings.push(bytes.length)
      this.#names.set(key, row)
    }
    this.#lastName = key
    this.#lastNameRow = row
    return row
  }

  /** The row of an attribute with the value true. */
  bool(key: string): number {
    let row = this.#bools.get(key)
    if (row === undefined) this.#bools.set(key, (row = this.row(this.name(key), 0, ValueKind.bool, 1, 0)))
    return row
  }

  /** The row of an attribute whose value is an entry of the string table. */
  text(key: string, string: number): number {
    const name = this.name(key)
    const { strings, attributes } = this.#draft
    const texts = this.#texts
    if (string >= texts.length) {
      const count = strings.length / 2 - texts.length
      texts.reserve(count).fill(0, texts.length, texts.length + count)
      texts.length += count
    }
    const known = texts.array[string]
    if (known !== 0 && attributes.array[5 * known] === name) return known
    const row = this.row(name, 0, ValueKind.string, strings.array[2 * string], strings.array[2 * string + 1])
    texts.array[string] = row
    return row
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

  /** The payload followed by the appendix. All offsets point into it. */
  finish(memory?: ReusedMemory): Uint8Array {
    return this.#appendix.appendedTo(this.#bytes, memory)
  }
}
