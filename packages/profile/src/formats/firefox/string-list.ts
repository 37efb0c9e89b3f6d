// The strings of a Firefox profile as rows of the dictionary: `stringTable` and `stringArray` of a thread, or the
// shared `stringArray`.
import type { StringIndex } from '../../model/columns/brand.ts'
import type { DictionaryBuilder } from '../../model/build/dictionary-builder.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'

export class StringList {
  readonly #dictionary: DictionaryBuilder
  readonly #rows = new GrowingInts(256)

  constructor(dictionary: DictionaryBuilder) {
    this.#dictionary = dictionary
  }

  get length(): number {
    return this.#rows.length
  }

  /** The reader is at the list. Items that are not strings become empty strings. */
  read(reader: JsonReader): void {
    reader.beginArray()
    while (reader.nextItem()) {
      if (reader.peek() !== 'string') {
        reader.skip()
        this.#rows.push(0)
        continue
      }
      const bytes = reader.stringBytes()
      this.#rows.push(this.#dictionary.string(bytes, 0, bytes.length))
    }
  }

  row(i: number): StringIndex {
    return this.#rows.array[i] as StringIndex
  }

  text(i: number): string {
    const { strings, bytes } = this.#dictionary
    const row = this.#rows.array[i]
    const offset = strings.rows.array[2 * row]
    return decodeUtf8(bytes.array, offset, offset + strings.rows.array[2 * row + 1])
  }
}
