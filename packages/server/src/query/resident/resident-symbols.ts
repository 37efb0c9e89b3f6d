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
import { FetchedRows, eachId } from './symbol-rows.ts'

/** Ids of one table with their rows in the dictionary; the id 0 is row 0. */
class KnownRows {
  readonly ids = new IdIndex()
  readonly rows = new GrowingInts()

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

  add(lo: number, hi: number, row: number): void {
    const number = this.ids.add(lo, hi)
    if (number === this.rows.length) this.rows.push(row)
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
  /** Rows that something referred to and that are not stored. */
  missing = 0
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
    stacks.each((block, row) => {
      const column = block.column('locations')
      const words = wordsOf(column.values)
      // Most locations are in many stacks: whether one was met before is the first to ask.
      for (let k = 2 * column.from(row), to = 2 * column.to(row); k < to; k += 2) {
        if (locations.ids.find(words[k], words[k + 1]) >= 0 || this.#locations.has(words[k], words[k + 1])) continue
        locations.ids.add(words[k], words[k + 1])
      }
    })
    await locations.fetch(asking)
    locations.each((block, row) => {
      eachId(block.column('line_functions'), row, (lo, hi) => {
        if (!this.#functions.has(lo, hi)) functions.ids.add(lo, hi)
      })
      addUnknown(block, 'mapping', row, this.#mappings, mappings.ids)
      addUnknown(block, 'attributes', row, this.#frameTypes, types.ids)
    })
    await Promise.all([functions.fetch(asking), mappings.fetch(asking), types.fetch(asking)])
    this.#add(stacks, locations, functions, mappings, types)
  }

  #add(
    stacks: FetchedRows,
    locations: FetchedRows,
    functions: FetchedRows,
    mappings: FetchedRows,
    types: FetchedRows,
  ): void {
    this.#fill(types, this.#frameTypes, (block, row) => this.#frameType(block, row))
    this.#fill(functions, this.#functions, (block, row) => this.#function(block, row))
    this.#fill(mappings, this.#mappings, (block, row) => this.#mapping(block, row))
    this.#fill(locations, this.#locations, (block, row) => this.#location(block, row))
    this.#refresh()
    const { pool, ends } = this.#stacks
    for (let number = 1; number < stacks.ids.length; number++) {
      const block = stacks.block(number)
      // A stack that is missing is not remembered: it is asked for again.
      if (block === undefined) {
        this.missing++
        continue
      }
      const [lo, hi] = [stacks.ids.ids[2 * number], stacks.ids.ids[2 * number + 1]]
      if (this.#stackIds.add(lo, hi) < ends.length) continue
      const column = block.column('locations')
      const row = stacks.row(number)
      pool.reserve(column.to(row) - column.from(row))
      const words = wordsOf(column.values)
      for (let k = 2 * column.from(row), to = 2 * column.to(row); k < to; k += 2) {
        pool.array[pool.length++] = this.#locations.row(words[k], words[k + 1])
      }
      ends.push(pool.length)
    }
  }

  /** Adds what was fetched; what is missing is known from now on as not set. */
  #fill(fetched: FetchedRows, known: KnownRows, make: (block: Block, row: number) => number): void {
    const { ids } = fetched
    for (let number = 1; number < ids.length; number++) {
      const block = fetched.block(number)
      if (block === undefined) this.missing++
      known.add(
        ids.ids[2 * number],
        ids.ids[2 * number + 1],
        block === undefined ? 0 : make(block, fetched.row(number)),
      )
    }
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
