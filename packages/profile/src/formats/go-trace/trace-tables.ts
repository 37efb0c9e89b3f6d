// The strings and stacks of a generation as rows of the dictionary. They are looked up on first use.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { LINE_STRIDE } from '../../model/columns/dictionary.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import type { NoteList } from '../format.ts'
import type { TraceGeneration } from './generation.ts'
import { IdTable } from './id-table.ts'
import type { GoObservations } from './observations.ts'
import { TraceCursor } from './trace-cursor.ts'
import type { FunctionIndex, MappingIndex, StringIndex } from '../../model/columns/brand.ts'

export class TraceTables {
  readonly #builder: ProfilesBuilder
  readonly #cursor: TraceCursor
  readonly #notes: NoteList
  readonly #isLenient: boolean
  readonly #observations: GoObservations
  readonly #frameType: Int32Array
  #generation: TraceGeneration | undefined
  readonly #stackRows = new IdTable()
  readonly #stringRows = new Map<number, StringIndex>()
  readonly #reasonRows = new IdTable()

  constructor(
    builder: ProfilesBuilder,
    observations: GoObservations,
    bytes: Uint8Array,
    notes: NoteList,
    isLenient: boolean,
  ) {
    this.#builder = builder
    this.#observations = observations
    this.#cursor = new TraceCursor(bytes)
    this.#notes = notes
    this.#isLenient = isLenient
    const frameType: AttributeIndex = builder.attribute(ATTRIBUTES.frameType, 'go')
    this.#frameType = Int32Array.of(frameType)
  }

  startGeneration(generation: TraceGeneration): void {
    this.#generation = generation
    this.#stackRows.clear()
    this.#stringRows.clear()
    this.#reasonRows.clear()
  }

  /** The row of the stack. `offset` is the position of the reference. */
  stack(id: number, offset: number): number {
    if (id === 0) return 0
    let row = this.#stackRows.get(id)
    if (row < 0) this.#stackRows.set(id, (row = this.#readStack(id, offset)))
    return row
  }

  /** The number of a reason. 0 if there is none. */
  reason(id: number, offset: number): number {
    let row = this.#reasonRows.get(id)
    if (row < 0) {
      const range = this.#rangeOf(id, offset)
      const text = range === undefined ? '' : decodeUtf8(this.#cursor.bytes, range.from, range.to)
      this.#reasonRows.set(id, (row = this.#observations.reason(text)))
    }
    return row
  }

  #readStack(id: number, offset: number): number {
    const start = this.#generation?.stacks.get(id)
    if (start === undefined) {
      this.#missing(`stack ${id} is not in the table of its generation`, offset)
      return 0
    }
    const cursor = this.#cursor
    const { dictionary } = this.#builder
    cursor.at = start
    cursor.end = cursor.bytes.length
    const rows = new Int32Array(cursor.number())
    const line = new Int32Array(LINE_STRIDE)
    for (let i = 0; i < rows.length; i++) {
      cursor.long()
      const { lo, hi } = cursor
      const name = this.#string(cursor.number(), start)
      const file = this.#string(cursor.number(), start)
      const of: FunctionIndex = dictionary.function(name, name, file, 0, 0)
      line[0] = of
      cursor.long()
      line[1] = cursor.lo
      line[2] = cursor.hi
      rows[i] = dictionary.location(0 as MappingIndex, lo, hi, line, 1, this.#frameType, 1)
    }
    return dictionary.stack(rows)
  }

  #string(id: number, offset: number): StringIndex {
    let row = this.#stringRows.get(id)
    if (row === undefined) {
      const range = this.#rangeOf(id, offset)
      const { bytes } = this.#cursor
      if (range === undefined) row = 0 as StringIndex
      else if (isUtf8(bytes, range.from, range.to)) row = this.#builder.dictionary.string(bytes, range.from, range.to)
      else {
        const repaired = encodeUtf8(decodeUtf8(bytes, range.from, range.to))
        row = this.#builder.dictionary.string(repaired, 0, repaired.length)
        this.#notes.add('invalid-utf8', 'invalid bytes in strings are replaced')
      }
      this.#stringRows.set(id, row)
    }
    return row
  }

  #rangeOf(id: number, offset: number): { readonly from: number; readonly to: number } | undefined {
    if (id === 0) return undefined
    const range = this.#generation?.strings.get(id)
    if (range === undefined) this.#missing(`string ${id} is not in the table of its generation`, offset)
    return range
  }

  #missing(what: string, offset: number): void {
    this.#cursor.at = offset
    const error = this.#cursor.fault(what)
    if (!this.#isLenient) throw error
    this.#notes.add('missing-symbols', `missing stacks and names; the first error: ${error.message}`)
  }
}
