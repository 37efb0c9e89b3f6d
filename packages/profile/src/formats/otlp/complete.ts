// Completes a payload after its last byte was read, when the dictionary is known. References to the string table in attribute
// values, resources and scopes are replaced by the strings. Former fields of v1.8 become attributes. New bytes go into an
// appendix after the payload's bytes.
import type { Resource, Scope, StringLookup } from '../../model/columns/any-value.ts'
import {
  decodeAnyValue,
  decodeResource,
  decodeScope,
  encodeNested,
  encodeResource,
  encodeScope,
  isKeyValueList,
} from '../../model/columns/any-value.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import type { ProfilesDraft } from '../../model/columns/profiles-draft.ts'
import { AGGREGATION_TEMPORALITIES, ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { STRING_REFERENCE } from './check-common.ts'

/** Limit in bytes for the strings that references expand to. Payloads beyond 32 MiB have a higher limit. */
const MIN_LIMIT = 1 << 26

/** An attribute for a field that only v1.8 had. */
interface LateAttribute {
  /** Its position in the pool of profile attributes. */
  readonly place: number
  readonly comments?: readonly number[]
  readonly temporality?: string
}

export class Completion {
  /** Positions of rows in the draft's columns that refer to the string table. */
  readonly resourceRows: number[] = []
  readonly scopeRows: number[] = []
  readonly attributeRows: number[] = []
  /** The fields of the profile that is being read. */
  readonly comments = new GrowingInts(0)
  temporality = 0
  readonly #draft: ProfilesDraft
  readonly #bytes: Uint8Array
  readonly #appendix = new GrowingBytes(0)
  /** Rows that replace removed fields, by content. Profiles share them. */
  readonly #addedAttributes = new Map<string, number>()
  readonly #addedKeys = new Map<string, number>()
  readonly #late: LateAttribute[] = []

  constructor(draft: ProfilesDraft, bytes: Uint8Array) {
    this.#draft = draft
    this.#bytes = bytes
  }

  /** Merges two occurrences of a message by concatenating them. An empty first part is ignored. */
  joined(first: number, firstEnd: number, second: number, secondEnd: number): readonly [from: number, to: number] {
    if (first === firstEnd) return [second, secondEnd]
    const whole = new Uint8Array(firstEnd - first + secondEnd - second)
    whole.set(this.#slice(first, firstEnd))
    whole.set(this.#bytes.subarray(second, secondEnd), firstEnd - first)
    const from = this.#append(whole)
    return [from, from + whole.length]
  }

  endProfile(): void {
    const { profileAttributes } = this.#draft
    if (this.comments.length > 0) {
      this.#late.push({ place: profileAttributes.length, comments: [...this.comments.view()] })
      profileAttributes.push(0)
      this.comments.length = 0
    }
    const temporality = AGGREGATION_TEMPORALITIES[this.temporality]
    if (temporality !== undefined) {
      this.#late.push({ place: profileAttributes.length, temporality })
      profileAttributes.push(0)
    }
    this.temporality = 0
  }

  /** Returns the bytes that all ranges of the draft refer to. */
  finish(): Uint8Array {
    if (this.#late.length > 0) this.#checkBeforeAppending()
    for (const row of this.resourceRows) this.#rewrite(this.#draft.resources, row, decodeResource, encodeResource)
    for (const row of this.scopeRows) this.#rewrite(this.#draft.scopes, row, decodeScope, encodeScope)
    for (const row of this.attributeRows) this.#resolveAttribute(row)
    for (const late of this.#late) this.#addAttribute(late)
    return this.#appendix.appendedTo(this.#bytes)
  }

  #rewrite<Message extends Resource | Scope>(
    rows: GrowingInts,
    at: number,
    decode: (bytes: Uint8Array, from: number, to: number, strings: StringLookup) => Message,
    encode: (message: Message) => Uint8Array,
  ): void {
    const stored = this.#slice(rows.array[at], rows.array[at] + rows.array[at + 1])
    const message = encode(decode(stored, 0, stored.length, this.#lookup))
    rows.array[at] = this.#append(message)
    rows.array[at + 1] = message.length
  }

  #resolveAttribute(at: number): void {
    const { array } = this.#draft.attributes
    const kind = array[at + 2]
    if (kind === STRING_REFERENCE) {
      const index = array[at + 3]
      this.#checkString(index, 0)
      array[at + 2] = ValueKind.string
      array[at + 3] = this.#draft.strings.array[2 * index]
      array[at + 4] = this.#draft.strings.array[2 * index + 1]
    } else if (kind === ValueKind.array || kind === ValueKind.keyValues) {
      // The row has the inner message. A tag and a length before it make it an AnyValue again.
      const wrapped = new BackwardWriter(array[at + 4] + 16)
      wrapped.bytesField((kind << 3) | 2, this.#bytes, array[at + 3], array[at + 3] + array[at + 4])
      const encoded = wrapped.finish()
      const value = decodeAnyValue(encoded, 0, encoded.length, this.#lookup)
      if (Array.isArray(value) || isKeyValueList(value)) {
        const resolved = encodeNested(value)
        array[at + 3] = this.#append(resolved)
        array[at + 4] = resolved.length
      }
    }
  }

  /** Checks indexes before rows are appended, so that an index one past the end does not become valid. */
  #checkBeforeAppending(): void {
    const { attributes, strings, mappingAttributes, locationAttributes, sampleAttributes, profileAttributes } =
      this.#draft
    const check = (
      column: GrowingInts,
      stride: number,
      columns: readonly number[],
      limit: number,
      table: string,
    ): void => {
      const rows = Math.max(1, limit)
      for (let at = 0; at < column.length; at += stride) {
        for (const k of columns) {
          const index = column.array[at + k]
          if (index >>> 0 >= rows) throw new WireError(0, `index ${index} is outside ${table} (length ${limit})`)
        }
      }
    }
    for (const pool of [mappingAttributes, locationAttributes, sampleAttributes, profileAttributes]) {
      check(pool, 1, [0], attributes.length / 5, 'attribute_table')
    }
    const texts = strings.length / 2
    check(attributes, 5, [0, 1], texts, 'string_table')
    check(this.#draft.functions, 5, [0, 1, 2], texts, 'string_table')
    check(this.#draft.mappings, 8, [6], texts, 'string_table')
    check(this.#draft.profiles, 19, [0, 1, 2, 3], texts, 'string_table')
  }

  #addAttribute({ place, comments, temporality = '' }: LateAttribute): void {
    const { attributes, profileAttributes } = this.#draft
    if (attributes.length === 0) for (let i = 0; i < 5; i++) attributes.push(0)
    const texts = comments?.map(index => this.#lookup(index, 0))
    const content = texts === undefined ? temporality : JSON.stringify(texts)
    let row = this.#addedAttributes.get(content)
    if (row === undefined) {
      this.#addedAttributes.set(content, (row = attributes.length / 5))
      if (texts === undefined)
        this.#pushAttribute(ATTRIBUTES.aggregationTemporality, ValueKind.string, encodeUtf8(temporality))
      else this.#pushAttribute(ATTRIBUTES.pprofProfileComment, ValueKind.array, encodeNested(texts))
    }
    profileAttributes.array[place] = row
  }

  #pushAttribute(key: string, kind: ValueKind, value: Uint8Array): void {
    const { attributes, strings } = this.#draft
    if (strings.length === 0) for (let i = 0; i < 2; i++) strings.push(0)
    let row = this.#addedKeys.get(key)
    if (row === undefined) {
      this.#addedKeys.set(key, (row = strings.length / 2))
      const name = encodeUtf8(key)
      for (const int of [this.#append(name), name.length]) strings.push(int)
    }
    for (const int of [row, 0, kind, this.#append(value), value.length]) attributes.push(int)
  }

  readonly #lookup: StringLookup = (index, at) => {
    this.#checkString(index, at)
    const { array } = this.#draft.strings
    return decodeUtf8(this.#bytes, array[2 * index], array[2 * index] + array[2 * index + 1])
  }

  #checkString(index: number, at: number): void {
    const length = this.#draft.strings.length / 2
    if (index >>> 0 >= length) throw new WireError(at, `string ${index} is outside the string table (length ${length})`)
  }

  /** Returns a range of the payload or of the appendix after it. */
  #slice(from: number, to: number): Uint8Array {
    const base = this.#bytes.length
    return from < base ? this.#bytes.subarray(from, to) : this.#appendix.array.subarray(from - base, to - base)
  }

  #append(bytes: Uint8Array): number {
    // A payload can refer to a string of 1 MB a million times.
    if (this.#appendix.length + bytes.length > Math.max(MIN_LIMIT, 2 * this.#bytes.length)) {
      throw new WireError(0, 'references to the string table expand to more than twice the size of the payload')
    }
    return this.#bytes.length + this.#appendix.append(bytes, 0, bytes.length)
  }
}
