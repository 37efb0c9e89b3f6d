// Writes the tables of a dictionary in their final order, the most used rows first (see numbering.ts).
import type { StackIndex } from '../columns/brand.ts'
import type { Dictionary } from '../columns/dictionary.ts'
import {
  ATTRIBUTE_STRIDE,
  FUNCTION_STRIDE,
  LINE_STRIDE,
  LOCATION_STRIDE,
  STRING_STRIDE,
  isByteRange,
} from '../columns/dictionary.ts'
import type { DictionaryBuilder } from '../build/dictionary-builder.ts'
import { LOCATION_HEAD, MAPPING_HEAD } from '../build/dictionary-builder.ts'
import type { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import type { DistinctStacks } from './distinct-stacks.ts'
import type { GrowingInts } from '../columns/growing-columns.ts'
import type { Numbering } from './numbering.ts'
import { composed, needsCounts, numberByUse, unchanged } from './numbering.ts'
import type { ProfilesDraft } from '../columns/profiles-draft.ts'
import { sortSet } from '../columns/sorted-set.ts'
import { UseCounts } from './use-counts.ts'
import type { OutsideUses } from './used-rows.ts'

/** The strings of a function row are its first columns. */
const FUNCTION_STRINGS = 3

/** The references of profiles, samples and stacks, by source row. */
export interface SourceUses extends OutsideUses {
  readonly stacks: UseCounts
}

export class Renumbering {
  readonly #source: Dictionary
  readonly #dictionary: DictionaryBuilder
  readonly #transfer: DictionaryTransfer
  readonly #distinct: DistinctStacks
  readonly #uses: SourceUses
  /** By row of the built dictionary; stacks by their number among the distinct ones. */
  readonly strings: Numbering
  readonly functions: Numbering
  readonly mappings: Numbering
  readonly locations: Numbering
  readonly stacks: Numbering
  readonly links: Numbering
  readonly attributes: Numbering

  /** `dictionary` holds all tables except the stacks, copied by `transfer`. */
  constructor(
    source: Dictionary,
    dictionary: DictionaryBuilder,
    transfer: DictionaryTransfer,
    stacks: DistinctStacks,
    uses: SourceUses,
  ) {
    this.#source = source
    this.#dictionary = dictionary
    this.#transfer = transfer
    this.#distinct = stacks
    this.#uses = uses
    this.strings = numbered(dictionary.strings.length, counts => this.#countStrings(counts))
    this.functions = numbered(dictionary.functions.length, counts => this.#countFunctions(counts))
    this.mappings = numbered(dictionary.mappings.length, counts => this.#countMappings(counts))
    this.locations = numbered(dictionary.locations.length, counts =>
      counts.addCarried(uses.locations, transfer.locationRows),
    )
    this.stacks = numbered(stacks.rows.length, counts => counts.addCarried(uses.stacks, stacks.numbers))
    this.links = numbered(dictionary.links.length, counts => counts.addCarried(uses.links, transfer.linkRows))
    this.attributes = numbered(dictionary.attributes.length, counts => this.#countAttributes(counts))
  }

  /** Writes the tables into the draft. Byte ranges stay those of the source. */
  write(draft: ProfilesDraft): void {
    this.#writeStrings(draft)
    this.#writeFunctions(draft)
    this.#writeMappings(draft)
    this.#writeLocations(draft)
    this.#writeStacks(draft)
    this.#writeLinks(draft)
    this.#writeAttributes(draft)
  }

  #countStrings(uses: UseCounts): void {
    const { functions, mappings, attributes } = this.#dictionary
    const { counts } = uses
    uses.addCarried(this.#uses.strings, this.#transfer.stringRows)
    for (let at = 0, { array, length } = functions.pool; at < length; at += FUNCTION_STRIDE) {
      counts[array[at]]++
      counts[array[at + 1]]++
      counts[array[at + 2]]++
    }
    for (let row = 0; row < mappings.length; row++)
      counts[mappings.pool.array[mappings.start(row) + MAPPING_HEAD - 1]]++
    for (let at = 0, { array, length } = attributes.pool; at < length; at += ATTRIBUTE_STRIDE) {
      counts[array[at]]++
      counts[array[at + 1]]++
    }
  }

  #countFunctions({ counts }: UseCounts): void {
    const { locations } = this.#dictionary
    const { array } = locations.pool
    for (let row = 0; row < locations.length; row++) {
      const start = locations.start(row)
      let at = start + LOCATION_HEAD
      for (const end = at + array[start + 3] * LINE_STRIDE; at < end; at += LINE_STRIDE) counts[array[at]]++
    }
  }

  #countMappings({ counts }: UseCounts): void {
    const { locations } = this.#dictionary
    for (let row = 0; row < locations.length; row++) counts[locations.pool.array[locations.start(row)]]++
  }

  #countAttributes(uses: UseCounts): void {
    const { mappings, locations } = this.#dictionary
    uses.addCarried(this.#uses.attributes, this.#transfer.attributeRows)
    for (let row = 0; row < mappings.length; row++) {
      uses.addAll(mappings.pool.array, mappings.start(row) + MAPPING_HEAD, mappings.end(row))
    }
    const { array } = locations.pool
    for (let row = 0; row < locations.length; row++) {
      const start = locations.start(row)
      uses.addAll(array, start + LOCATION_HEAD + array[start + 3] * LINE_STRIDE, locations.end(row))
    }
  }

  #writeStrings(draft: ProfilesDraft): void {
    const source = this.#dictionary.strings.rows.array
    const { rows, length } = this.strings
    const target = extend(draft.strings, length * STRING_STRIDE)
    for (let i = 0; i < length; i++) {
      target[2 * i] = source[2 * rows[i]]
      target[2 * i + 1] = source[2 * rows[i] + 1]
    }
  }

  #writeFunctions(draft: ProfilesDraft): void {
    const source = this.#dictionary.functions.pool.array
    const { rows, length } = this.functions
    const strings = this.strings.numbers
    const target = extend(draft.functions, length * FUNCTION_STRIDE)
    for (let i = 0, to = 0; i < length; i++, to += FUNCTION_STRIDE) {
      const from = rows[i] * FUNCTION_STRIDE
      for (let column = 0; column < FUNCTION_STRINGS; column++) target[to + column] = strings[source[from + column]]
      target[to + 3] = source[from + 3]
      target[to + 4] = source[from + 4]
    }
  }

  #writeMappings(draft: ProfilesDraft): void {
    const { mappings } = this.#dictionary
    const { array } = mappings.pool
    const { rows, length } = this.mappings
    for (let i = 0; i < length; i++) {
      const start = mappings.start(rows[i])
      draft.mappings.pushAll(array, start, start + MAPPING_HEAD - 1)
      draft.mappings.push(this.strings.numbers[array[start + MAPPING_HEAD - 1]])
      this.#pushAttributes(draft.mappingAttributes, array, start + MAPPING_HEAD, mappings.end(rows[i]))
      draft.mappings.push(draft.mappingAttributes.length)
    }
  }

  #writeLocations(draft: ProfilesDraft): void {
    const { locations } = this.#dictionary
    const { array } = locations.pool
    const { rows, length } = this.locations
    const mappings = this.mappings.numbers
    const functions = this.functions.numbers
    const target = extend(draft.locations, length * LOCATION_STRIDE)
    // An upper bound for the lines, so that the column never grows: all ints except the row heads.
    const lines = draft.lines.reserve(locations.pool.length - length * LOCATION_HEAD)
    let line = 0
    for (let i = 0, to = 0; i < length; i++, to += LOCATION_STRIDE) {
      const start = locations.start(rows[i])
      let at = start + LOCATION_HEAD
      for (const end = at + array[start + 3] * LINE_STRIDE; at < end; at += LINE_STRIDE, line += LINE_STRIDE) {
        lines[line] = functions[array[at]]
        lines[line + 1] = array[at + 1]
        lines[line + 2] = array[at + 2]
        lines[line + 3] = array[at + 3]
        lines[line + 4] = array[at + 4]
      }
      this.#pushAttributes(draft.locationAttributes, array, at, locations.end(rows[i]))
      target[to] = mappings[array[start]]
      target[to + 1] = array[start + 1]
      target[to + 2] = array[start + 2]
      target[to + 3] = line / LINE_STRIDE
      target[to + 4] = draft.locationAttributes.length
    }
    draft.lines.length = line
  }

  #writeStacks(draft: ProfilesDraft): void {
    const { stacks } = this.#source
    const { ints, base } = stacks.locations
    const sourceRows = this.#distinct.rows.array
    const { rows, length } = this.stacks
    const ends = extend(draft.stacks, length)
    const target = draft.stackLocations.reserve(this.#distinct.frames)
    // Maps source numbers to final numbers in one step.
    const numbers = composed(this.#transfer.locationRows, this.locations, this.#source.locations.length)
    let to = 0
    // Number 0 is the empty stack.
    for (let i = 1; i < length; i++) {
      const row = sourceRows[rows[i]] as StackIndex
      const end = base + stacks.to(row)
      for (let at = base + stacks.from(row); at < end; at++) target[to++] = numbers[ints[at]]
      ends[i] = to
    }
    ends[0] = 0
    draft.stackLocations.length = to
  }

  #writeLinks(draft: ProfilesDraft): void {
    const source = this.#dictionary.links.pool.array
    const { rows, length } = this.links
    for (let i = 0; i < length; i++) {
      this.#pushBlob(draft.links, source[2 * rows[i]])
      this.#pushBlob(draft.links, source[2 * rows[i] + 1])
    }
  }

  #writeAttributes(draft: ProfilesDraft): void {
    const source = this.#dictionary.attributes.pool.array
    const { rows, length } = this.attributes
    const strings = this.strings.numbers
    for (let i = 0; i < length; i++) {
      const at = rows[i] * ATTRIBUTE_STRIDE
      const kind = source[at + 2]
      draft.attributes.push(strings[source[at]])
      draft.attributes.push(strings[source[at + 1]])
      draft.attributes.push(kind)
      if (isByteRange(kind)) this.#pushBlob(draft.attributes, source[at + 3])
      else draft.attributes.pushAll(source, at + 3, at + 5)
    }
  }

  #pushBlob(column: GrowingInts, blob: number): void {
    column.push(this.#dictionary.blobOffset(blob))
    column.push(this.#dictionary.blobLength(blob))
  }

  #pushAttributes(list: GrowingInts, source: Int32Array, from: number, to: number): void {
    if (from === to) return
    const { numbers } = this.attributes
    const target = list.reserve(to - from)
    const start = list.length
    for (let i = 0; i < to - from; i++) target[start + i] = numbers[source[from + i]]
    list.length = sortSet(target, start, start + to - from)
  }
}

function numbered(rows: number, count: (uses: UseCounts) => void): Numbering {
  if (!needsCounts(rows)) return unchanged(rows)
  const uses = new UseCounts(rows)
  count(uses)
  return numberByUse(uses)
}

/** Adds `count` ints to an empty column and returns its array to fill. */
function extend(column: GrowingInts, count: number): Int32Array {
  const array = column.reserve(count)
  column.length += count
  return array
}
