// The string table of a legacy payload. Strings become rows of the dictionary when something refers to them.
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import type { AttributeIndex, StringIndex } from '../../../model/columns/brand.ts'
import { ValueKind } from '../../../model/columns/dictionary.ts'
import type { Message } from '../generations/schema-reader.ts'
import { LazyTexts } from '../generations/schema-reader.ts'

const UNKNOWN = -1
const NO_UNIT = 0 as StringIndex

export class LegacyStrings {
  readonly length: number
  readonly #texts: readonly string[] | LazyTexts
  readonly #builder: ProfilesBuilder
  readonly #rows: Int32Array

  constructor(holder: Message, builder: ProfilesBuilder) {
    this.#texts = (holder['string_table'] as readonly string[] | LazyTexts | undefined) ?? []
    this.#builder = builder
    this.length = this.#texts.length
    this.#rows = new Int32Array(this.length).fill(UNKNOWN)
  }

  text(i: number): string {
    return this.#texts instanceof LazyTexts ? this.#texts.text(i) : this.#texts[i]
  }

  row(i: number): StringIndex {
    if (this.#rows[i] === UNKNOWN) this.#rows[i] = this.#add(i)
    return this.#rows[i] as StringIndex
  }

  isEmpty(i: number): boolean {
    if (!(this.#texts instanceof LazyTexts)) return this.#texts[i] === ''
    const { array } = this.#texts.ranges
    return array[2 * i] === array[2 * i + 1]
  }

  /** An attribute whose value is a string of the table. */
  attribute(key: string, i: number): AttributeIndex {
    if (!(this.#texts instanceof LazyTexts)) return this.#builder.attribute(key, this.#texts[i])
    const { bytes, ranges } = this.#texts
    const from = ranges.array[2 * i]
    const length = ranges.array[2 * i + 1] - from
    const { dictionary } = this.#builder
    return dictionary.attribute(this.#builder.string(key), NO_UNIT, ValueKind.string, from, length, bytes)
  }

  #add(i: number): StringIndex {
    if (!(this.#texts instanceof LazyTexts)) return this.#builder.string(this.#texts[i])
    const { bytes, ranges } = this.#texts
    return this.#builder.dictionary.string(bytes, ranges.array[2 * i], ranges.array[2 * i + 1])
  }
}
