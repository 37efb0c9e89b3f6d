// The attributes of one profile in the form of the document: a table of keys and values, and one unit per key.
import { writeKeyValues } from '../../model/columns/any-value.ts'
import type { AttributeIndex, StringIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import type { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import type { NoteList } from '../format.ts'
import { RowNumbers } from '../former-drafts/row-numbers.ts'
import type { StringNumbers } from '../former-drafts/row-numbers.ts'

export class Otep239AttributeTable {
  readonly #dictionary: Dictionary
  readonly #notes: NoteList
  readonly #rows: RowNumbers
  readonly #units = new Map<StringIndex, StringIndex>()

  constructor(dictionary: Dictionary, notes: NoteList) {
    this.#dictionary = dictionary
    this.#notes = notes
    this.#rows = new RowNumbers(dictionary.attributes.length)
  }

  clear(): void {
    this.#rows.clear()
    this.#units.clear()
  }

  of(row: AttributeIndex): number {
    this.#recordUnit(row)
    return this.#rows.of(row)
  }

  /** Writes keys and values outside the table. */
  writeList(writer: BackwardWriter, field: number, rows: readonly AttributeIndex[]): void {
    for (const row of rows) this.#recordUnit(row)
    this.#write(writer, field, rows)
  }

  write(writer: BackwardWriter, field: number): void {
    this.#write(writer, field, Array.from(this.#rows.rows.view()) as AttributeIndex[])
  }

  writeUnits(writer: BackwardWriter, tag: number, strings: StringNumbers): void {
    for (const [key, unit] of [...this.#units].reverse()) {
      if (unit === 0) continue
      const mark = writer.written
      writer.varint32Field(0x10, strings.of(unit))
      writer.varint32Field(0x08, strings.of(key))
      writer.messageHeader(tag, mark)
    }
  }

  /** The first unit of a key counts, even if it is "none". */
  #recordUnit(row: AttributeIndex): void {
    const { attributes } = this.#dictionary
    const key = attributes.key(row)
    const unit = attributes.unit(row)
    const known = this.#units.get(key)
    if (known === undefined) this.#units.set(key, unit)
    else if (known !== unit) {
      this.#notes.add('attribute-units', 'attributes of one key have several units; the first was kept')
    }
  }

  #write(writer: BackwardWriter, field: number, rows: readonly AttributeIndex[]): void {
    const { attributes, strings } = this.#dictionary
    writeKeyValues(
      writer,
      field,
      rows.map(row => ({ key: strings.text(attributes.key(row)), value: attributes.value(row) })),
    )
  }
}
