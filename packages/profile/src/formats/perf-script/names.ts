// Decodes names of threads and symbols, which should be UTF-8 but come from any source.
import type { StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'

export class Names {
  /** The number of names that were not UTF-8. Invalid bytes become U+FFFD. */
  invalid = 0
  readonly #builder: ProfilesBuilder

  constructor(builder: ProfilesBuilder) {
    this.#builder = builder
  }

  string(bytes: Uint8Array, from: number, to: number): StringIndex {
    if (isUtf8(bytes, from, to)) return this.#builder.dictionary.string(bytes, from, to)
    const repaired = encodeUtf8(this.text(bytes, from, to))
    return this.#builder.dictionary.string(repaired, 0, repaired.length)
  }

  text(bytes: Uint8Array, from: number, to: number): string {
    if (!isUtf8(bytes, from, to)) this.invalid++
    return decodeUtf8(bytes, from, to)
  }
}
