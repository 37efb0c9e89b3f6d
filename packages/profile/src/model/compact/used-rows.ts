// Copies the used rows of a dictionary, table by table and in their order. This keeps related rows together, makes a
// second compaction a no-op, and walks memory from front to back instead of jumping from each location to its functions
// and strings.
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StringIndex,
} from '../columns/brand.ts'
import { NONE } from '../columns/brand.ts'
import type { Dictionary, Pool } from '../columns/dictionary.ts'
import {
  ATTRIBUTE_STRIDE,
  FUNCTION_STRIDE,
  LINE_STRIDE,
  LOCATION_STRIDE,
  MAPPING_STRIDE,
} from '../columns/dictionary.ts'
import type { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import { UseCounts } from './use-counts.ts'

/** The references of profiles, samples and stacks, by source row. */
export interface OutsideUses {
  readonly strings: UseCounts
  readonly locations: UseCounts
  readonly links: UseCounts
  readonly attributes: UseCounts
}

/** Keeps its memory between calls. */
export class UsedRows {
  /** 0 for unused rows. Links and locations are referenced only from outside the dictionary. */
  readonly #strings = new UseCounts()
  readonly #functions = new UseCounts()
  readonly #mappings = new UseCounts()
  readonly #attributes = new UseCounts()

  /** Copies all tables except the stacks. Returns false if two locations turned out to be equal. */
  carry(source: Dictionary, uses: OutsideUses, transfer: DictionaryTransfer): boolean {
    this.#mark(source, uses)
    carryAll(this.#strings, i => transfer.string(i as StringIndex))
    carryAll(this.#attributes, i => transfer.attribute(i as AttributeIndex))
    carryAll(this.#mappings, i => transfer.mapping(i as MappingIndex))
    carryAll(this.#functions, i => transfer.function(i as FunctionIndex))
    carryAll(uses.links, i => transfer.link(i as LinkIndex))
    return carryAll(uses.locations, i => transfer.location(i as LocationIndex))
  }

  /** Marks each table before the tables it refers to. */
  #mark(source: Dictionary, uses: OutsideUses): void {
    this.#functions.reset(source.functions.length)
    this.#mappings.reset(source.mappings.length)
    this.#attributes.copy(uses.attributes)
    this.#strings.copy(uses.strings)
    this.#markFromLocations(source, uses.locations)
    this.#markFromMappings(source)
    this.#markStrings(this.#functions, source.functions.ints, source.functions.base, FUNCTION_STRIDE, 3)
    this.#markStrings(this.#attributes, source.attributes.ints, source.attributes.base, ATTRIBUTE_STRIDE, 2)
  }

  #markFromLocations({ locations }: Dictionary, uses: UseCounts): void {
    const { ints, base, lines } = locations
    const functions = this.#functions.counts
    const mappings = this.#mappings.counts
    let linesFrom = 0
    let attributesFrom = 0
    for (let i = 0, at = base; i < uses.length; i++, at += LOCATION_STRIDE) {
      const linesTo = ints[at + 3]
      const attributesTo = ints[at + 4]
      if (uses.counts[i] !== 0) {
        mappings[ints[at]] = 1
        for (let k = linesFrom; k < linesTo; k++) functions[lines.ints[lines.base + k * LINE_STRIDE]] = 1
        if (attributesFrom !== attributesTo) this.#markAttributes(locations.attributes, attributesFrom, attributesTo)
      }
      linesFrom = linesTo
      attributesFrom = attributesTo
    }
  }

  #markFromMappings({ mappings }: Dictionary): void {
    const { counts, length } = this.#mappings
    const strings = this.#strings.counts
    for (let i = 0 as MappingIndex; i < length; i++) {
      if (counts[i] === 0) continue
      strings[mappings.ints[mappings.base + i * MAPPING_STRIDE + 6]] = 1
      this.#markAttributes(mappings.attributes, mappings.attributesFrom(i), mappings.attributesTo(i))
    }
  }

  #markAttributes({ ints, base }: Pool<AttributeIndex>, from: number, to: number): void {
    const { counts } = this.#attributes
    for (let k = base + from; k < base + to; k++) counts[ints[k]] = 1
  }

  /** Marks the strings in the first columns of the rows. */
  #markStrings({ counts, length }: UseCounts, ints: Int32Array, base: number, stride: number, columns: number): void {
    const strings = this.#strings.counts
    for (let i = 0, at = base; i < length; i++, at += stride) {
      if (counts[i] !== 0) for (let k = at; k < at + columns; k++) strings[ints[k]] = 1
    }
  }
}

/** Returns true if no two rows were copied to the same row. */
function carryAll({ counts, length }: UseCounts, carry: (row: number) => number): boolean {
  let allDifferent = true
  let last = NONE
  for (let i = 0; i < length; i++) {
    if (counts[i] === 0) continue
    const row = carry(i)
    // Rows are assigned in order. A row equal to row 0 may count as a duplicate, which only costs time.
    if (row > last) last = row
    else allDifferent = false
  }
  return allDifferent
}
