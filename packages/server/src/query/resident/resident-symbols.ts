// The stacks of a tenant that questions have met, with everything that names their frames, in memory as one dictionary that
// only grows: rows are added behind those there are and never change, so what was made of them before stays right.
//
//   stack id (64 bits)  ──►  number  ──►  locations  ──►  functions, mappings, frame types
import type {
  AttributeIndex,
  Dictionary,
  FunctionIndex,
  LocationIndex,
  MappingIndex,
  Pool,
  Profiles,
  StackIndex,
  StringIndex,
} from '@hearth/profile'
import { LINE_STRIDE, ProfilesBuilder } from '@hearth/profile'
import type { Block } from '../../store/native/block.ts'
import { IdIndex } from '../../store/symbols/id-index.ts'
import { wordsOf } from '../../store/symbols/symbol-table.ts'
import type { Asking } from '../question.ts'
import { GrowingInts } from './growing-ints.ts'
import { StackLocations } from './stack-locations.ts'
import { FetchedRows, eachId } from './symbol-rows.ts'

/** Ids of one table with their rows in the dictionary; the id 0 is row 0. */
class KnownRows {
  readonly ids = new IdIndex()
  readonly rows = new GrowingInts()
  /** Numbers of ids that are not stored, or refer to something that is not. */
  readonly #lacking = new Set<number>()

  constructor() {
    this.rows.push(0)
  }

  has(lo: number, hi: number): boolean {
    return this.ids.find(lo, hi) >= 0
  }

  /** 0 for an id that is not known: as if it were not set. */
  row(lo: number, hi: number): number {
    const number = this.ids.find(lo, hi)
    return number < 0 ? 0 : this.rows.array[number]
  }

  add(lo: number, hi: number, row: number, lacking: boolean): void {
    const number = this.ids.add(lo, hi)
    if (number !== this.rows.length) return
    this.rows.push(row)
    if (lacking) this.#lacking.add(number)
  }

  get isWhole(): boolean {
    return this.#lacking.size === 0
  }

  lacks(lo: number, hi: number): boolean {
    return this.#lacking.size > 0 && this.#lacking.has(this.ids.find(lo, hi))
  }

  get byteLength(): number {
    return this.ids.ids.byteLength * 2 + this.rows.array.byteLength
  }
}

/** The table of stacks as dictionaries have it, over arrays that grow. */
class GrowingStacks {
  readonly base = 0
  readonly ends = new GrowingInts()
  readonly pool = new GrowingInts()

  constructor() {
    this.ends.push(0)
  }

  get ints(): Int32Array {
    return this.ends.array
  }

  get length(): number {
    return this.ends.length
  }

  from(i: StackIndex): number {
    return i === 0 ? 0 : this.ends.array[i - 1]
  }

  to(i: StackIndex): number {
    return this.ends.array[i]
  }

  get locations(): Pool<LocationIndex> {
    const { array: ints, length } = this.pool
    return {
      ints,
      base: 0,
      length,
      at: k => ints[k] as LocationIndex,
      slice: (from, to) => Array.from(ints.subarray(from, to)) as LocationIndex[],
    }
  }
}

/** One object for the dictionary whatever it has grown to: its tables are replaced by longer ones. */
interface GrowingDictionary extends Dictionary {
  bytes: Dictionary['bytes']
  strings: Dictionary['strings']
  functions: Dictionary['functions']
  mappings: Dictionary['mappings']
  locations: Dictionary['locations']
  links: Dictionary['links']
  attributes: Dictionary['attributes']
}

const FRAME_TYPE = 'profile.frame.type'

export class ResidentSymbols {
  /** A set of no profiles over the dictionary, for functions that want one. */
  readonly profiles: Profiles
  readonly dictionary: GrowingDictionary
  /** Stacks that are stored, but not everything that names their frames. */
  readonly #lacking = new Set<number>()
  #missing = 0
  readonly #builder = new ProfilesBuilder()
  readonly #stackIds = new IdIndex()
  readonly #stacks = new GrowingStacks()
  readonly #locations = new KnownRows()
  readonly #functions = new KnownRows()
  readonly #mappings = new KnownRows()
  /** The dictionary's attribute for the frame type that a set has; 0 for none. */
  readonly #frameTypes = new KnownRows()
  #loading: Promise<unknown> = Promise.resolve()

  constructor() {
    const empty = this.#frozen()
    this.dictionary = { ...empty.dictionary, stacks: this.#stacks }
    this.profiles = { ...empty, dictionary: this.dictionary }
  }

  /** The stack's number; 0, a stack without frames, for one that is not stored. Loaded before. */
  stack(lo: number, hi: number): number {
    const number = this.#stackIds.find(lo, hi)
    return number < 0 ? 0 : number
  }

  /** The stacks' numbers: two words an id, as `stack` has them. */
  numbers(ids: Int32Array): Int32Array {
    const numbers = new Int32Array(ids.length / 2)
    for (let s = 0; s < numbers.length; s++) numbers[s] = this.stack(ids[2 * s], ids[2 * s + 1])
    return numbers
  }

  /** Whether everything was stored that something referred to. What was not may be by now, or on another node. */
  get isWhole(): boolean {
    return this.#missing === 0
  }

  /** Places in `ids` of stacks that are not stored, or not with all that names their frames. */
  lacking(ids: Int32Array): number[] {
    const places: number[] = []
    if (this.isWhole) return places
    for (let s = 0; 2 * s < ids.length; s++) {
      const number = this.#stackIds.find(ids[2 * s], ids[2 * s + 1])
      if (number < 0 || this.#lacking.has(number)) places.push(s)
    }
    return places
  }

  get byteLength(): number {
    const { bytes, functions, locations, stacks } = this.#builder.dictionary
    const pools = [functions, locations, stacks].map(table => table.pool.array.byteLength * 2)
    return (
      bytes.array.byteLength +
      pools.reduce((sum, each) => sum + each, 0) +
      this.#stacks.pool.array.byteLength +
      this.#stacks.ends.array.byteLength +
      this.#stackIds.ids.byteLength * 2 +
      [this.#locations, this.#functions, this.#mappings, this.#frameTypes].reduce(
        (sum, each) => sum + each.byteLength,
        0,
      )
    )
  }

  /** Makes the stacks with these ids known, two words each. One load at a time, so that none fetches what another does. */
  async load(asking: Asking, ids: Int32Array): Promise<void> {
    if (!this.#lacks(ids)) return
    const before = this.#loading
    const turn = before.then(() => this.#load(asking, ids))
    this.#loading = turn.catch(() => undefined)
    await turn
  }

  #lacks(ids: Int32Array): boolean {
    for (let k = 0; k < ids.length; k += 2) if (this.#stackIds.find(ids[k], ids[k + 1]) < 0) return true
    return false
  }

  /** Everything is fetched before anything is added, so that a load that fails leaves nothing half done. */
  async #load(asking: Asking, ids: Int32Array): Promise<void> {
    const stacks = new FetchedRows('stacks', 'locations')
    const locations = new FetchedRows('locations', 'mapping, address, line_functions, line_numbers, attributes')
    const functions = new FetchedRows('functions', 'name, system_name, filename, start_line')
    const mappings = new FetchedRows('mappings', 'memory_start, memory_limit, file_offset, filename')
    const types = new FetchedRows(
      'attribute_sets',
      `values[indexOf(keys, '${FRAME_TYPE}')] AS frame_type, kinds[indexOf(keys, '${FRAME_TYPE}')] AS frame_kind`,
    )
    for (let k = 0; k < ids.length; k += 2) {
      if (this.#stackIds.find(ids[k], ids[k + 1]) < 0) stacks.ids.add(ids[k], ids[k + 1])
    }
    await stacks.fetch(asking)
    const inStacks = new StackLocations()
    stacks.each((block, row) => {
      const column = block.column('locations')
      inStacks.add(wordsOf(column.values), 2 * column.from(row), 2 * column.to(row))
    })
    const { ids: met } = inStacks
    for (let number = 1; number < met.length; number++) {
      const [lo, hi] = [met.ids[2 * number], met.ids[2 * number + 1]]
      if (!this.#locations.has(lo, hi)) locations.ids.add(lo, hi)
    }
    await locations.fetch(asking)
    locations.each((block, row) => {
      eachId(block.column('line_functions'), row, (lo, hi) => {
        if (!this.#functions.has(lo, hi)) functions.ids.add(lo, hi)
      })
      addUnknown(block, 'mapping', row, this.#mappings, mappings.ids)
      addUnknown(block, 'attributes', row, this.#frameTypes, types.ids)
    })
    await Promise.all([functions.fetch(asking), mappings.fetch(asking), types.fetch(asking)])
    this.#add(stacks, inStacks, locations, functions, mappings, types)
  }

  #add(
    stacks: FetchedRows,
    inStacks: StackLocations,
    locations: FetchedRows,
    functions: FetchedRows,
    mappings: FetchedRows,
    types: FetchedRows,
  ): void {
    this.#fill(types, this.#frameTypes, (block, row) => this.#frameType(block, row))
    this.#fill(functions, this.#functions, (block, row) => this.#function(block, row))
    this.#fill(mappings, this.#mappings, (block, row) => this.#mapping(block, row))
    this.#fill(
      locations,
      this.#locations,
      (block, row) => this.#location(block, row),
      (block, row) => this.#locationLacks(block, row),
    )
    this.#refresh()
    const { pool, ends } = this.#stacks
    const { isWhole } = this.#locations
    const { ids: met } = inStacks
    const rows = new Int32Array(met.length)
    for (let n = 1; n < rows.length; n++) rows[n] = this.#locations.row(met.ids[2 * n], met.ids[2 * n + 1])
    for (let number = 1; number < stacks.ids.length; number++) {
      const block = stacks.block(number)
      // A stack that is missing is not remembered: it is asked for again.
      if (block === undefined) {
        this.#missing++
        continue
      }
      const [lo, hi] = [stacks.ids.ids[2 * number], stacks.ids.ids[2 * number + 1]]
      const column = block.column('locations')
      const row = stacks.row(number)
      const numbers = inStacks.take(column.to(row) - column.from(row))
      if (this.#stackIds.add(lo, hi) < ends.length) continue
      pool.reserve(numbers.length)
      for (let k = 0; k < numbers.length; k++) pool.array[pool.length++] = rows[numbers[k]]
      if (!isWhole && numbers.some(n => this.#locations.lacks(met.ids[2 * n], met.ids[2 * n + 1])))
        this.#lacking.add(ends.length)
      ends.push(pool.length)
    }
  }

  /** Adds what was fetched; what is missing is known from now on as not set. */
  #fill(
    fetched: FetchedRows,
    known: KnownRows,
    make: (block: Block, row: number) => number,
    lacks?: (block: Block, row: number) => boolean,
  ): void {
    const { ids } = fetched
    for (let number = 1; number < ids.length; number++) {
      const block = fetched.block(number)
      const [lo, hi] = [ids.ids[2 * number], ids.ids[2 * number + 1]]
      if (block === undefined) {
        this.#missing++
        known.add(lo, hi, 0, true)
      } else {
        const row = fetched.row(number)
        known.add(lo, hi, make(block, row), lacks?.(block, row) ?? false)
      }
    }
  }

  #locationLacks(block: Block, row: number): boolean {
    if (this.#functions.isWhole && this.#mappings.isWhole && this.#frameTypes.isWhole) return false
    const lacks = (column: string, known: KnownRows): boolean => {
      const words = wordsOf(block.column(column))
      return known.lacks(words[2 * row], words[2 * row + 1])
    }
    let lacking = lacks('mapping', this.#mappings) || lacks('attributes', this.#frameTypes)
    eachId(block.column('line_functions'), row, (lo, hi) => {
      if (this.#functions.lacks(lo, hi)) lacking = true
    })
    return lacking
  }

  #function(block: Block, row: number): FunctionIndex {
    const { dictionary } = this.#builder
    const line = wordsOf(block.column('start_line'))
    const name = this.#string(block, 'name', row)
    const systemName = this.#string(block, 'system_name', row)
    const filename = this.#string(block, 'filename', row)
    return dictionary.function(name, systemName, filename, line[2 * row], line[2 * row + 1])
  }

  #mapping(block: Block, row: number): MappingIndex {
    const { dictionary } = this.#builder
    const range = new Int32Array(6)
    for (const [i, name] of ['memory_start', 'memory_limit', 'file_offset'].entries()) {
      const words = wordsOf(block.column(name))
      range[2 * i] = words[2 * row]
      range[2 * i + 1] = words[2 * row + 1]
    }
    return dictionary.mapping(range, 0, this.#string(block, 'filename', row), NO_INTS, 0)
  }

  #string(block: Block, column: string, row: number): StringIndex {
    const bytes = block.column(column).bytes(row)
    return this.#builder.dictionary.string(bytes, 0, bytes.length)
  }

  /** Of a location's attributes only the frame type says what frame it is. */
  #frameType(block: Block, row: number): AttributeIndex {
    // 1: a string. Others are not by the conventions, and are passed over.
    if (block.column('frame_kind').number(row) !== 1) return 0 as AttributeIndex
    return this.#builder.attribute(FRAME_TYPE, block.column('frame_type').text(row))
  }

  #location(block: Block, row: number): LocationIndex {
    const column = block.column('line_functions')
    const numbers = block.column('line_numbers')
    const ids = wordsOf(column.values)
    const lineWords = wordsOf(numbers.values)
    const count = Math.min(column.to(row) - column.from(row), numbers.to(row) - numbers.from(row))
    const lines = new Int32Array(count * LINE_STRIDE)
    for (let k = 0; k < count; k++) {
      const id = 2 * (column.from(row) + k)
      const line = 2 * (numbers.from(row) + k)
      lines[k * LINE_STRIDE] = this.#functions.row(ids[id], ids[id + 1])
      lines[k * LINE_STRIDE + 1] = lineWords[line]
      lines[k * LINE_STRIDE + 2] = lineWords[line + 1]
    }
    const address = wordsOf(block.column('address'))
    const mapping = wordsOf(block.column('mapping'))
    const set = wordsOf(block.column('attributes'))
    const type = this.#frameTypes.row(set[2 * row], set[2 * row + 1])
    return this.#builder.dictionary.location(
      this.#mappings.row(mapping[2 * row], mapping[2 * row + 1]) as MappingIndex,
      address[2 * row],
      address[2 * row + 1],
      lines,
      count,
      Int32Array.of(type),
      type === 0 ? 0 : 1,
    )
  }

  /** Puts the tables as they are now into the dictionary. */
  #refresh(): void {
    Object.assign(this.dictionary, this.#frozen().dictionary, { stacks: this.#stacks })
  }

  /** The builder's tables are laid out in a draft of their own, since a builder that has built is used up. */
  #frozen(): Profiles {
    const { dictionary } = this.#builder
    const { draft } = new ProfilesBuilder()
    dictionary.writeTo(draft)
    const { array, length } = dictionary.bytes
    return draft.freeze(array.subarray(0, length), false)
  }
}

const NO_INTS = new Int32Array(0)

function addUnknown(block: Block, column: string, row: number, known: KnownRows, wanted: IdIndex): void {
  const words = wordsOf(block.column(column))
  const [lo, hi] = [words[2 * row], words[2 * row + 1]]
  if (!known.has(lo, hi)) wanted.add(lo, hi)
}
