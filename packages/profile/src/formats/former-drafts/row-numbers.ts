// Numbers the rows of a file's table in the order of first use, so that rows without references are not written. For formats
// with tables in each profile, while the model has one dictionary for all.
import type { LocationIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { Dictionary, StringTable } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'

export class RowNumbers {
  /** The rows of the dictionary in the order of their numbers. */
  readonly rows = new GrowingInts()
  readonly #numbers: Int32Array

  constructor(length: number) {
    this.#numbers = new Int32Array(length).fill(NONE)
  }

  get length(): number {
    return this.rows.length
  }

  of(row: number): number {
    if (this.#numbers[row] === NONE) {
      this.#numbers[row] = this.rows.length
      this.rows.push(row)
    }
    return this.#numbers[row]
  }

  /** Clears all numbers. The cost depends on how many were assigned, not on the size of the table. */
  clear(): void {
    const { array, length } = this.rows
    for (let i = 0; i < length; i++) this.#numbers[array[i]] = NONE
    this.rows.length = 0
  }
}

/**
 * Numbers the mappings of locations for drafts where an unset index means the first mapping. "No mapping" then is an extra
 * entry after all others. If there are no other mappings, there is no table.
 */
export function numberMappings({ locations }: Dictionary, numbered: RowNumbers, mappings: RowNumbers): void {
  const { array, length } = numbered.rows
  let without = false
  for (let i = 0; i < length; i++) {
    const mapping = locations.mapping(array[i] as LocationIndex)
    if (mapping === 0) without = true
    else mappings.of(mapping)
  }
  if (without && mappings.length > 0) mappings.of(0)
}

/** Numbers strings of the dictionary and other strings in one table, whose first entry is the empty string. */
export class StringNumbers {
  readonly #strings: StringTable
  readonly #numbers: Int32Array
  /** By number: a row of the dictionary, or -1 - i for `#others[i]`. */
  readonly #entries = new GrowingInts()
  readonly #others: Uint8Array[] = []
  readonly #byText = new Map<string, number>()

  constructor({ strings }: Dictionary) {
    this.#strings = strings
    this.#numbers = new Int32Array(strings.length).fill(NONE)
    this.of(0)
  }

  clear(): void {
    const { array, length } = this.#entries
    for (let i = 0; i < length; i++) if (array[i] >= 0) this.#numbers[array[i]] = NONE
    this.#entries.length = 0
    this.#others.length = 0
    this.#byText.clear()
    this.of(0)
  }

  of(row: number): number {
    if (this.#numbers[row] === NONE) {
      this.#numbers[row] = this.#entries.length
      this.#entries.push(row)
    }
    return this.#numbers[row]
  }

  /** Numbers a string that may be missing from the dictionary. */
  text(text: string): number {
    if (text === '') return 0
    let number = this.#byText.get(text)
    if (number === undefined) {
      number = this.#entries.length
      this.#entries.push(-this.#others.push(encodeUtf8(text)))
      this.#byText.set(text, number)
    }
    return number
  }

  /** Writes all strings as fields with this tag. */
  write(writer: BackwardWriter, tag: number): void {
    const { bytes, ints, base } = this.#strings
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries.array[i]
      const at = base + 2 * entry
      if (entry >= 0) writer.bytesField(tag, bytes, ints[at], ints[at] + ints[at + 1])
      else writer.bytesField(tag, this.#others[-1 - entry], 0, this.#others[-1 - entry].length)
    }
  }
}
