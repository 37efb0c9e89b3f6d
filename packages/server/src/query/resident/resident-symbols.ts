// The stacks of a tenant that queries have read, with all symbols of their frames, in memory as one dictionary. The
// dictionary only grows. Rows never change, so everything derived from them stays valid.
//
//   stack id (64 bits)  ──►  number  ──►  locations  ──►  functions, mappings, frame types
import type {
  BuildIdKind,
  Dictionary,
  LocationIndex,
  MappingIndex,
  Pool,
  Profiles,
  StackIndex,
  StringIndex,
} from '@hearth/profile'
import { GrowingInts, LINE_STRIDE, ProfilesBuilder, parseBuildId } from '@hearth/profile'
import type { SymbolNames } from '../../symbols/binary-names.ts'
import type { UnresolvedReason } from '../../symbols/found-binary.ts'
import type { Block } from '../../store/native/block.ts'
import type { ColumnValues } from '../../store/native/column-values.ts'
import { IdIndex } from '../../store/symbols/id-index.ts'
import { wordsOf } from '../../store/symbols/symbol-table.ts'
import type { RunningQuery } from '../query.ts'
import { KnownRows } from './known-rows.ts'
import type { MappingPlace } from './native-frames.ts'
import { LineBuffer, NativeFrames } from './native-frames.ts'
import { StackLocations } from './stack-locations.ts'
import type { FetchedBlock } from './symbol-rows.ts'
import { FetchedRows } from './symbol-rows.ts'

/** The dictionary's table of stacks over growing arrays. */
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

/** One object while the dictionary grows. Its tables are replaced by longer ones. */
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
/** The attributes with the build ids of a mapping. They are strings, kind 1. */
const BUILD_ID_PREFIX = 'process.executable.build_id.'
const IS_BUILD_ID = `startsWith(key, '${BUILD_ID_PREFIX}') AND kind = 1`

export class ResidentSymbols {
  /** An empty set of profiles over the dictionary, for functions that need one. */
  readonly profiles: Profiles
  readonly dictionary: GrowingDictionary
  /** Stacks that are stored, but some symbols of their frames are not. */
  readonly #lacking = new Set<number>()
  #missing = 0
  readonly #builder = new ProfilesBuilder()
  readonly #stackIds = new IdIndex()
  readonly #stacks = new GrowingStacks()
  readonly #locations = new KnownRows()
  readonly #functions = new KnownRows()
  readonly #mappings = new KnownRows()
  /** The dictionary's attribute for the frame type of a set; 0 for none. */
  readonly #frameTypes = new KnownRows()
  /** The entry of an attribute set in `#buildIdLists`; 0 for none. */
  readonly #buildIds = new KnownRows()
  /** Lists of the dictionary's attributes. */
  readonly #buildIdLists: Int32Array[] = [NO_INTS]
  /** The same lists as texts. */
  readonly #buildIdTexts: MappingPlace['binary']['buildIds'][] = [{}]
  /** The frame type of an attribute set, by the dictionary's attribute. */
  readonly #typeTexts = new Map<number, string>()
  readonly native: NativeFrames
  #loading: Promise<unknown> = Promise.resolve()

  /** `names` gives native frames their names. Without it, they stay addresses. */
  constructor(names?: SymbolNames) {
    this.native = new NativeFrames(this.#builder, names)
    const empty = this.#frozen()
    this.dictionary = { ...empty.dictionary, stacks: this.#stacks }
    this.profiles = { ...empty, dictionary: this.dictionary }
  }

  /** The end of each stack in `stackLocations`, which are rows of the dictionary's locations, leaf first. */
  get stackEnds(): Int32Array {
    return this.#stacks.ends.array
  }

  get stackLocations(): Int32Array {
    return this.#stacks.pool.array
  }

  /** The stack's number. 0, the empty stack, if it is not stored. The stack must be loaded. */
  stack(lo: number, hi: number): number {
    const number = this.#stackIds.find(lo, hi)
    return number < 0 ? 0 : number
  }

  /** The stacks' numbers. Each id has two words, as in `stack`. */
  numbers(ids: Int32Array): Int32Array {
    const numbers = new Int32Array(ids.length / 2)
    for (let s = 0; s < numbers.length; s++) numbers[s] = this.stack(ids[2 * s], ids[2 * s + 1])
    return numbers
  }

  /** Whether everything that is referred to was stored. Missing rows may be stored later, or on another node. */
  get isWhole(): boolean {
    return this.#missing === 0
  }

  /** Indexes in `ids` of stacks that are not stored, or whose symbols are not. */
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
      this.native.byteLength +
      [this.#locations, this.#functions, this.#mappings, this.#frameTypes].reduce(
        (sum, each) => sum + each.byteLength,
        0,
      )
    )
  }

  /** The number of distinct frames in these stacks that have no name, by reason. */
  unresolvedIn(stacks: Int32Array): Map<UnresolvedReason, number> {
    const counts = new Map<UnresolvedReason, number>()
    if (!this.native.hasUnnamed) return counts
    const seen = new Uint8Array(this.dictionary.locations.length)
    const { stackEnds: ends, stackLocations: locations } = this
    for (const stack of new Set(stacks)) {
      for (let k = stack === 0 ? 0 : ends[stack - 1]; k < ends[stack]; k++) {
        const location = locations[k]
        if (seen[location] !== 0) continue
        seen[location] = 1
        const reason = this.native.reason(location)
        if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
      }
    }
    return counts
  }

  /** Loads the stacks with these ids, two words each. Loads run one at a time, so that no row is fetched twice. */
  async load(running: RunningQuery, ids: Int32Array): Promise<void> {
    if (!this.#lacks(ids)) return
    const before = this.#loading
    const turn = before.then(() => this.#load(running, ids))
    this.#loading = turn.catch(() => undefined)
    await turn
  }

  /** Loads locations alone. Returns the dictionary's row of each; 0 if it is not stored. */
  async locations(running: RunningQuery, ids: Int32Array): Promise<Int32Array> {
    const turn = this.#loading.then(() => this.#loadLocations(running, ids))
    this.#loading = turn.catch(() => undefined)
    await turn
    return Int32Array.from({ length: ids.length / 2 }, (_, k) => this.#locations.row(ids[2 * k], ids[2 * k + 1]))
  }

  #lacks(ids: Int32Array): boolean {
    for (let k = 0; k < ids.length; k += 2) if (this.#stackIds.find(ids[k], ids[k + 1]) < 0) return true
    return false
  }

  /** Fetches everything before it adds anything, so that a failed load changes nothing. */
  async #load(running: RunningQuery, ids: Int32Array): Promise<void> {
    const stacks = new FetchedRows('stacks', 'locations')
    for (let k = 0; k < ids.length; k += 2) {
      if (this.#stackIds.find(ids[k], ids[k + 1]) < 0) stacks.ids.add(ids[k], ids[k + 1])
    }
    await stacks.fetch(running)
    const inStacks = new StackLocations(stacks)
    await this.#loadLocations(running, inStacks.ids.ids.subarray(2, 2 * inStacks.ids.length))
    this.#addStacks(stacks, inStacks)
  }

  /** Loads the locations with these ids, two words each. */
  async #loadLocations(running: RunningQuery, ids: Int32Array): Promise<void> {
    const locations = new FetchedRows('locations', 'mapping, address, line_functions, line_numbers, attributes')
    for (let k = 0; k < ids.length; k += 2) {
      if (!this.#locations.has(ids[k], ids[k + 1])) locations.ids.add(ids[k], ids[k + 1])
    }
    const functions = new FetchedRows('functions', 'name, system_name, filename, start_line')
    const mappings = new FetchedRows('mappings', 'memory_start, memory_limit, file_offset, filename, attributes')
    const types = new FetchedRows(
      'attribute_sets',
      `values[indexOf(keys, '${FRAME_TYPE}')] AS frame_type, kinds[indexOf(keys, '${FRAME_TYPE}')] AS frame_kind`,
    )
    const buildIds = new FetchedRows(
      'attribute_sets',
      `arrayFilter((key, kind) -> ${IS_BUILD_ID}, keys, kinds) AS build_id_keys, ` +
        `arrayFilter((value, key, kind) -> ${IS_BUILD_ID}, values, keys, kinds) AS build_id_values`,
    )
    await locations.fetch(running)
    for (const { block, numbers } of locations.blocks) {
      addUnknown(block.column('line_functions'), numbers, this.#functions, functions.ids)
      addUnknown(block.column('mapping'), numbers, this.#mappings, mappings.ids)
      addUnknown(block.column('attributes'), numbers, this.#frameTypes, types.ids)
    }
    await Promise.all([functions.fetch(running), mappings.fetch(running), types.fetch(running)])
    for (const { block, numbers } of mappings.blocks) {
      addUnknown(block.column('attributes'), numbers, this.#buildIds, buildIds.ids)
    }
    await buildIds.fetch(running)
    this.#fill(buildIds, this.#buildIds, fetched => this.#buildIdsIn(fetched))
    this.#fill(types, this.#frameTypes, fetched => this.#frameTypesIn(fetched))
    this.#fill(functions, this.#functions, fetched => this.#functionsIn(fetched))
    this.#fill(mappings, this.#mappings, fetched => this.#mappingsIn(fetched))
    await this.native.open(running.tenant, this.#mappingsWithoutNames(locations))
    this.#fill(locations, this.#locations, fetched => this.#locationsIn(fetched))
    this.#refresh()
  }

  #addStacks(stacks: FetchedRows, inStacks: StackLocations): void {
    const { pool, ends } = this.#stacks
    const { ids: met, numbers: all } = inStacks
    const rows = new Int32Array(met.length)
    for (let n = 1; n < rows.length; n++) rows[n] = this.#locations.row(met.ids[2 * n], met.ids[2 * n + 1])
    const { isWhole } = this.#locations
    pool.reserve(all.length)
    ends.reserve(stacks.found)
    this.#stackIds.reserve(stacks.found)
    const locations = pool.array
    let [from, at] = [0, pool.length]
    for (const { block, numbers } of stacks.blocks) {
      const column = block.column('locations')
      for (let row = 0; row < numbers.length; row++) {
        const number = numbers[row]
        if (number === 0) continue
        const to = from + column.to(row) - column.from(row)
        // Rows that another load added in the meantime stay.
        if (this.#stackIds.add(stacks.ids.ids[2 * number], stacks.ids.ids[2 * number + 1]) === ends.length) {
          for (let k = from; k < to; k++) locations[at++] = rows[all[k]]
          if (!isWhole && all.subarray(from, to).some(n => this.#locations.lacks(met.ids[2 * n], met.ids[2 * n + 1])))
            this.#lacking.add(ends.length)
          ends.push(at)
        }
        from = to
      }
    }
    pool.length = at
    // A missing stack is not stored here, so that the next query looks for it again.
    this.#missing += stacks.ids.length - 1 - stacks.found
  }

  /** Adds the fetched rows. Missing rows are known from now on as not set. */
  #fill(fetched: FetchedRows, known: KnownRows, make: (fetched: FetchedBlock) => Made): void {
    const { ids } = fetched
    known.reserve(ids.length)
    for (const part of fetched.blocks) {
      const { rows, lacks } = make(part)
      const { numbers } = part
      for (let row = 0; row < numbers.length; row++) {
        const number = numbers[row]
        if (number !== 0) known.add(ids.ids[2 * number], ids.ids[2 * number + 1], rows[row], lacks?.(row) ?? false)
      }
    }
    fetched.eachMissing(number => {
      this.#missing++
      known.add(ids.ids[2 * number], ids.ids[2 * number + 1], 0, true)
    })
  }

  #functionsIn({ block, numbers }: FetchedBlock): Made {
    const { dictionary } = this.#builder
    // Column by column: the dictionary is faster with strings from the same bytes as the one before.
    const [names, systemNames, filenames] = ['name', 'system_name', 'filename'].map(name =>
      this.#strings(block.column(name), numbers),
    )
    const lines = wordsOf(block.column('start_line'))
    const rows = new Int32Array(numbers.length)
    for (let row = 0; row < numbers.length; row++) {
      if (numbers[row] === 0) continue
      rows[row] = dictionary.function(
        names[row] as StringIndex,
        systemNames[row] as StringIndex,
        filenames[row] as StringIndex,
        lines[2 * row],
        lines[2 * row + 1],
      )
    }
    return { rows }
  }

  #mappingsIn({ block, numbers }: FetchedBlock): Made {
    const { dictionary } = this.#builder
    const filenames = this.#strings(block.column('filename'), numbers)
    const columns = ['memory_start', 'memory_limit', 'file_offset'].map(name => wordsOf(block.column(name)))
    const set = wordsOf(block.column('attributes'))
    const range = new Int32Array(6)
    const rows = new Int32Array(numbers.length)
    for (let row = 0; row < numbers.length; row++) {
      if (numbers[row] === 0) continue
      for (let i = 0; i < 6; i++) range[i] = columns[i >> 1][2 * row + (i & 1)]
      const list = this.#buildIds.row(set[2 * row], set[2 * row + 1])
      const buildIds = this.#buildIdLists[list]
      rows[row] = dictionary.mapping(range, 0, filenames[row] as StringIndex, buildIds, buildIds.length)
      const [start, limit, fileOffset] = ['memory_start', 'memory_limit', 'file_offset'].map(name =>
        block.column(name).bigint(row),
      )
      this.native.addMapping(rows[row], {
        binary: { filename: block.column('filename').text(row), buildIds: this.#buildIdTexts[list] },
        range: { start, limit, fileOffset },
      })
    }
    return { rows }
  }

  #buildIdsIn({ block, numbers }: FetchedBlock): Made {
    const keys = block.column('build_id_keys')
    const values = block.column('build_id_values')
    const rows = new Int32Array(numbers.length)
    for (let row = 0; row < numbers.length; row++) {
      const [from, to] = [keys.from(row), keys.to(row)]
      if (numbers[row] === 0 || from === to) continue
      const list = Int32Array.from({ length: to - from }, (_, k) =>
        this.#builder.attribute(keys.values.text(from + k), values.values.text(values.from(row) + k)),
      )
      rows[row] = this.#buildIdLists.push(list) - 1
      const texts: Partial<Record<BuildIdKind, string>> = {}
      for (let k = 0; k < list.length; k++) {
        const kind = parseBuildId(keys.values.text(from + k))
        if (kind !== undefined) texts[kind] = values.values.text(values.from(row) + k)
      }
      this.#buildIdTexts.push(texts)
    }
    return { rows }
  }

  #strings(column: ColumnValues, numbers: Int32Array): Int32Array {
    const { dictionary } = this.#builder
    const { raw } = column
    const rows = new Int32Array(numbers.length)
    for (let row = 0; row < numbers.length; row++) {
      if (numbers[row] !== 0) rows[row] = dictionary.string(raw, column.from(row), column.to(row))
    }
    return rows
  }

  /** Only the frame type among a location's attributes affects the frame. */
  #frameTypesIn({ block, numbers }: FetchedBlock): Made {
    const types = block.column('frame_type')
    const kinds = block.column('frame_kind')
    const rows = new Int32Array(numbers.length)
    for (let row = 0; row < numbers.length; row++) {
      // 1 is a string. The conventions allow no other type, so others are skipped.
      if (numbers[row] === 0 || kinds.number(row) !== 1) continue
      rows[row] = this.#builder.attribute(FRAME_TYPE, types.text(row))
      this.#typeTexts.set(rows[row], types.text(row))
    }
    return { rows }
  }

  #locationsIn({ block, numbers }: FetchedBlock): Made {
    const { dictionary } = this.#builder
    const functionColumn = block.column('line_functions')
    const numberColumn = block.column('line_numbers')
    const ids = wordsOf(functionColumn.values)
    const lineWords = wordsOf(numberColumn.values)
    const address = wordsOf(block.column('address'))
    const mapping = wordsOf(block.column('mapping'))
    const set = wordsOf(block.column('attributes'))
    const type = new Int32Array(1)
    const buffer = new LineBuffer()
    const rows = new Int32Array(numbers.length)
    for (let row = 0; row < numbers.length; row++) {
      if (numbers[row] === 0) continue
      let id = functionColumn.from(row)
      let line = numberColumn.from(row)
      let count = Math.min(functionColumn.to(row) - id, numberColumn.to(row) - line)
      buffer.reserve(count)
      const lines = buffer.ints
      // The columns of a line are not fetched and stay 0.
      for (let at = 0; at < count * LINE_STRIDE; at += LINE_STRIDE, id++, line++) {
        lines[at] = this.#functions.row(ids[2 * id], ids[2 * id + 1])
        lines[at + 1] = lineWords[2 * line]
        lines[at + 2] = lineWords[2 * line + 1]
      }
      type[0] = this.#frameTypes.row(set[2 * row], set[2 * row + 1])
      const mappingRow = this.#mappings.row(mapping[2 * row], mapping[2 * row + 1]) as MappingIndex
      let looked: number | UnresolvedReason | undefined
      if (count === 0 && this.#isAddress(block, row, type[0])) {
        buffer.clear()
        looked = this.native.lookup(mappingRow, block.column('address').bigint(row), buffer)
        if (typeof looked === 'number') count = looked
      }
      rows[row] = dictionary.location(
        mappingRow,
        address[2 * row],
        address[2 * row + 1],
        buffer.ints,
        count,
        type,
        type[0] === 0 ? 0 : 1,
      )
      if (looked !== undefined) this.native.mark(rows[row], looked)
    }
    if (this.#functions.isWhole && this.#mappings.isWhole && this.#frameTypes.isWhole) return { rows }
    const lacks = (row: number): boolean => {
      if (this.#mappings.lacks(mapping[2 * row], mapping[2 * row + 1])) return true
      if (this.#frameTypes.lacks(set[2 * row], set[2 * row + 1])) return true
      for (let k = functionColumn.from(row); k < functionColumn.to(row); k++) {
        if (this.#functions.lacks(ids[2 * k], ids[2 * k + 1])) return true
      }
      return false
    }
    return { rows, lacks }
  }

  /** Whether a location without lines is an address of native code. */
  #isAddress(block: Block, row: number, type: number): boolean {
    return block.column('address').bigint(row) !== 0n && this.native.isNative(this.#typeTexts.get(type) ?? '')
  }

  /** The mappings of locations that need names. */
  *#mappingsWithoutNames(locations: FetchedRows): Generator<number> {
    for (const { block, numbers } of locations.blocks) {
      const lines = block.column('line_functions')
      const mapping = wordsOf(block.column('mapping'))
      const set = wordsOf(block.column('attributes'))
      for (let row = 0; row < numbers.length; row++) {
        if (numbers[row] === 0 || lines.from(row) !== lines.to(row)) continue
        if (!this.#isAddress(block, row, this.#frameTypes.row(set[2 * row], set[2 * row + 1]))) continue
        yield this.#mappings.row(mapping[2 * row], mapping[2 * row + 1])
      }
    }
  }

  /** Replaces the dictionary's tables by the current ones. */
  #refresh(): void {
    Object.assign(this.dictionary, this.#frozen().dictionary, { stacks: this.#stacks })
  }

  /** Copies the builder's tables into a draft, because a builder cannot be used after it has built. */
  #frozen(): Profiles {
    const { dictionary } = this.#builder
    const { draft } = new ProfilesBuilder()
    dictionary.writeTo(draft)
    const { array, length } = dictionary.bytes
    return draft.freeze(array.subarray(0, length), false)
  }
}

const NO_INTS = new Int32Array(0)

/** The dictionary row of each row of a fetched block, and whether it has missing references. */
interface Made {
  readonly rows: Int32Array
  readonly lacks?: (row: number) => boolean
}

/** Adds the unknown ids of a column, or of the lists of a column. */
function addUnknown(column: ColumnValues, numbers: Int32Array, known: KnownRows, wanted: IdIndex): void {
  const isList = column.type.startsWith('Array')
  const words = wordsOf(isList ? column.values : column)
  for (let row = 0; row < numbers.length; row++) {
    if (numbers[row] === 0) continue
    const to = isList ? column.to(row) : row + 1
    for (let k = isList ? column.from(row) : row; k < to; k++) {
      if (!known.has(words[2 * k], words[2 * k + 1])) wanted.add(words[2 * k], words[2 * k + 1])
    }
  }
}
