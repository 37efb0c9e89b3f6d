// Writes attributes in the form of the proposal: rows of the dictionary and others in one table, with keys and strings as
// indexes of the string table.
import type { AnyValue, KeyValue } from '../../model/columns/any-value.ts'
import { halvesOfDouble, isKeyValueList } from '../../model/columns/any-value.ts'
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import type { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import type { NoteList } from '../format.ts'
import type { StringNumbers } from '../former-drafts/row-numbers.ts'

const KEY_TAG = 0x08
const VALUE_TAG = 0x12
const VALUES_TAG = 0x0a

export class AttributeNumbers {
  readonly #dictionary: Dictionary
  readonly #strings: StringNumbers
  readonly #notes: NoteList
  readonly #numbers: Int32Array
  /** Rows of the dictionary, and other attributes. */
  readonly #entries: (AttributeIndex | KeyValue)[] = []

  constructor(dictionary: Dictionary, strings: StringNumbers, notes: NoteList) {
    this.#dictionary = dictionary
    this.#strings = strings
    this.#notes = notes
    this.#numbers = new Int32Array(dictionary.attributes.length).fill(NONE)
  }

  of(row: AttributeIndex): number {
    if (this.#numbers[row] === NONE) {
      this.#numbers[row] = this.#entries.push(row) - 1
      if (this.#dictionary.attributes.unit(row) !== 0) {
        this.#notes.add('attribute-units', 'units of attributes have no field in the proposal')
      }
    }
    return this.#numbers[row]
  }

  /** Adds a new entry with each call. */
  add(key: string, value: AnyValue): number {
    return this.#entries.push({ key, value }) - 1
  }

  write(writer: BackwardWriter, tag: number): void {
    const { attributes, strings } = this.#dictionary
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]
      const mark = writer.written
      if (typeof entry === 'object') this.#keyValue(writer, this.#strings.text(entry.key), entry.value)
      else {
        const text = strings.byteLength(attributes.key(entry)) === 0 ? 0 : this.#strings.of(attributes.key(entry))
        this.#keyValue(writer, text, attributes.value(entry))
      }
      writer.messageHeader(tag, mark)
    }
  }

  #keyValue(writer: BackwardWriter, key: number, value: AnyValue): void {
    if (value !== undefined) this.#message(writer, VALUE_TAG, () => this.#anyValue(writer, value))
    writer.varint32Field(KEY_TAG, key)
  }

  /** Fields of a oneof are written even if zero, because they determine the kind. */
  #anyValue(writer: BackwardWriter, value: AnyValue): void {
    writer.reserve(16)
    if (value === undefined) return
    if (typeof value === 'string') {
      writer.rawVarint32(this.#strings.text(value))
      writer.rawVarint32(0x08)
    } else if (typeof value === 'boolean') {
      writer.rawVarint32(value ? 1 : 0)
      writer.rawVarint32(0x10)
    } else if (typeof value === 'bigint') {
      writer.rawVarint64(lowHalf(value), highHalf(value))
      writer.rawVarint32(0x18)
    } else if (typeof value === 'number') {
      writer.rawFixed64(...halvesOfDouble(value))
      writer.rawVarint32(0x21)
    } else if (value instanceof Uint8Array) writer.bytesField(0x3a, value, 0, value.length)
    else if (isKeyValueList(value)) {
      const { entries } = value
      this.#message(writer, 0x32, () => {
        for (const { key, value: inner } of entries.toReversed()) {
          this.#message(writer, VALUES_TAG, () => this.#keyValue(writer, this.#strings.text(key), inner))
        }
      })
    } else {
      this.#message(writer, 0x2a, () => {
        for (const inner of value.toReversed()) this.#message(writer, VALUES_TAG, () => this.#anyValue(writer, inner))
      })
    }
  }

  #message(writer: BackwardWriter, tag: number, write: () => void): void {
    const mark = writer.written
    write()
    writer.messageHeader(tag, mark)
  }
}
