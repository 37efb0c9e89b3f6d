// Writes the attribute sets of a request: of profiles, samples, locations and mappings. A list is looked up by its rows, so
// that a set is built once, however many samples have it.
import type { AttributeIndex, Dictionary, Pool, StringIndex } from '@hearth/profile'
import { encodeParts } from '@hearth/profile'
import { bytesOfRow } from '../attribute-text.ts'
import type { GroupRows } from '../group-rows.ts'
import type { StringColumn } from '../native/column.ts'
import type { ColumnsOf } from '../native/table.ts'
import { attributeSets } from '../schema/symbol-tables.ts'
import { unknownOfAttribute } from '../unknown-parts.ts'
import { HASH_WORDS, Seed, hashBytes, viewOf } from './content-hash.ts'
import type { Memo, SymbolScratch } from './memo.ts'
import type { SymbolRows } from './symbol-rows.ts'

const NO_BYTES = new Uint8Array(0)

/** The hashes of a dictionary's strings. */
export class TextHashes {
  readonly #memo: Memo
  readonly #dictionary: Dictionary
  readonly #view: DataView

  constructor(dictionary: Dictionary, memo: Memo) {
    this.#memo = memo
    this.#dictionary = dictionary
    this.#view = viewOf(dictionary.bytes)
  }

  /** Four words per hash, valid for strings that were hashed. */
  get words(): Int32Array {
    return this.#memo.words
  }

  /** Returns the position of the string's hash in `words`. */
  of(i: StringIndex): number {
    const { done, words } = this.#memo
    if (done[i] === 0) {
      done[i] = 1
      const { strings } = this.#dictionary
      const from = strings.offset(i)
      hashBytes(Seed.text, strings.bytes, this.#view, from, from + strings.byteLength(i), words, HASH_WORDS * i)
    }
    return HASH_WORDS * i
  }

  /** The string itself. */
  push(column: StringColumn, i: StringIndex): void {
    const { strings } = this.#dictionary
    const from = strings.offset(i)
    column.pushBytes(strings.bytes, from, from + strings.byteLength(i))
  }
}

export class AttributeSetWriter {
  readonly #rows: SymbolRows
  readonly #texts: TextHashes
  readonly #scratch: SymbolScratch
  readonly #dictionary: Dictionary
  readonly #columns: ColumnsOf<(typeof attributeSets)['columns']>
  #set = new Int32Array(32)

  constructor(group: GroupRows, rows: SymbolRows, dictionary: Dictionary, texts: TextHashes, scratch: SymbolScratch) {
    this.#rows = rows
    this.#texts = texts
    this.#scratch = scratch
    this.#dictionary = dictionary
    this.#columns = group.batch(attributeSets).columns
  }

  /** Writes the id of a list of attributes to `out`, as two words. */
  id(list: Pool<AttributeIndex>, from: number, to: number, out: Int32Array, at: number): void {
    if (from === to) {
      out[at] = out[at + 1] = 0
      return
    }
    const { ints, base } = list
    if (to - from === 1) {
      const row = ints[base + from]
      const { done, words } = this.#scratch.singles
      if (done[row] === 0) {
        done[row] = 1
        this.#write(ints, base + from, base + to, words, 2 * row)
      }
      out[at] = words[2 * row]
      out[at + 1] = words[2 * row + 1]
      return
    }
    const scratch = this.#scratch
    const known = scratch.runs.length
    const run = scratch.runs.intern(ints, base + from, base + to)
    if (run === known) {
      if (2 * run + 2 > scratch.runIds.length) {
        const grown = new Int32Array(scratch.runIds.length * 2)
        grown.set(scratch.runIds)
        scratch.runIds = grown
      }
      this.#write(ints, base + from, base + to, scratch.runIds, 2 * run)
    }
    out[at] = scratch.runIds[2 * run]
    out[at + 1] = scratch.runIds[2 * run + 1]
  }

  #write(ints: Int32Array, from: number, to: number, out: Int32Array, at: number): void {
    const count = this.#sort(ints, from, to)
    const set = this.#set
    const { input, words } = this.#scratch
    input.start(count * HASH_WORDS)
    for (let k = 0; k < count; k++) input.words(this.#scratch.attributes.words, HASH_WORDS * set[k])
    input.hash(Seed.attribute_sets, words)
    const { keys, units, kinds, values, unknown_fields: unknownFields } = this.#columns
    if (this.#rows.start('attribute_sets', this.#columns, words)) {
      const { attributes } = this.#dictionary
      for (let k = 0; k < count; k++) {
        const row = set[k] as AttributeIndex
        this.#texts.push(keys.values, attributes.key(row))
        this.#texts.push(units.values, attributes.unit(row))
        kinds.values.push(attributes.kind(row))
        values.values.pushBytes(bytesOfRow(attributes, row))
      }
      for (const column of [keys, units, kinds, values]) column.endRow()
      const unknown = Array.from(set.subarray(0, count), row =>
        unknownOfAttribute(this.#dictionary, row as AttributeIndex),
      )
      const hasUnknown = unknown.some(part => part !== undefined)
      unknownFields.pushBytes(hasUnknown ? encodeParts(unknown.map(part => part ?? NO_BYTES).entries()) : NO_BYTES)
    }
    out[at] = words[0]
    out[at + 1] = words[1]
  }

  /** Puts the rows into `#set`, sorted by hash and without duplicate contents. Returns their number. */
  #sort(ints: Int32Array, from: number, to: number): number {
    if (to - from > this.#set.length) this.#set = new Int32Array((to - from) * 2)
    const set = this.#set
    for (let k = from; k < to; k++) {
      this.#attribute(ints[k] as AttributeIndex)
      set[k - from] = ints[k]
    }
    if (to - from === 1) return 1
    const { words } = this.#scratch.attributes
    const compare = (a: number, b: number): number => {
      for (let i = 0; i < HASH_WORDS; i++) {
        const difference = words[HASH_WORDS * a + i] - words[HASH_WORDS * b + i]
        if (difference !== 0) return difference
      }
      return 0
    }
    set.subarray(0, to - from).sort(compare)
    let end = 1
    for (let k = 1; k < to - from; k++) if (compare(set[k], set[end - 1]) !== 0) set[end++] = set[k]
    return end
  }

  /** Computes the attribute's hash if it is missing. */
  #attribute(i: AttributeIndex): void {
    const { done, words } = this.#scratch.attributes
    if (done[i] !== 0) return
    done[i] = 1
    const { attributes } = this.#dictionary
    const texts = this.#texts
    const { input } = this.#scratch
    input.start(4 * HASH_WORDS + 1)
    input.words(texts.words, texts.of(attributes.key(i)))
    input.words(texts.words, texts.of(attributes.unit(i)))
    input.push(attributes.kind(i))
    input.text(bytesOfRow(attributes, i))
    const unknown = unknownOfAttribute(this.#dictionary, i)
    if (unknown !== undefined) input.text(unknown)
    input.hash(Seed.attribute, words, HASH_WORDS * i)
  }
}
