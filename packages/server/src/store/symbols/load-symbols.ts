// Loads stacks and attribute sets from the store into a dictionary that is being built. Loads everything they refer to, table
// by table, each row once. The caller adds ids, calls load, and then reads the dictionary's rows.
import type {
  AttributeIndex,
  FunctionIndex,
  LocationIndex,
  MappingIndex,
  ProfilesBuilder,
  StackIndex,
} from '@hearth/profile'
import { LINE_STRIDE, decodeParts } from '@hearth/profile'
import { addAttribute } from '../attribute-text.ts'
import type { Block } from '../native/block.ts'
import { attributeSets, functions, locations, mappings, stacks } from '../schema/symbol-tables.ts'
import { HASH_WORDS, HashInput, Seed } from './content-hash.ts'
import type { IdIndex } from './id-index.ts'
import type { SymbolSource } from './symbol-table.ts'
import { SymbolTable, wordsOf } from './symbol-table.ts'

const LINE_COLUMNS = ['line_functions', 'line_numbers', 'line_columns'] as const
const NO_ATTRIBUTES = new Int32Array(0)

export class SymbolLoader {
  readonly #builder: ProfilesBuilder
  readonly #stacks: SymbolTable
  readonly #locations: SymbolTable
  readonly #mappings: SymbolTable
  readonly #functions: SymbolTable
  readonly #sets: SymbolTable
  // The dictionary's rows by id number.
  readonly #stackRows: StackIndex[] = [0 as StackIndex]
  readonly #locationRows: LocationIndex[] = [0 as LocationIndex]
  readonly #mappingRows: MappingIndex[] = [0 as MappingIndex]
  readonly #functionRows: FunctionIndex[] = [0 as FunctionIndex]
  readonly #setRows: Int32Array[] = [NO_ATTRIBUTES]

  constructor(source: SymbolSource, builder: ProfilesBuilder) {
    this.#builder = builder
    this.#stacks = new SymbolTable(source, stacks, hashStack)
    this.#locations = new SymbolTable(source, locations, hashLocation)
    this.#mappings = new SymbolTable(source, mappings, hashMapping)
    this.#functions = new SymbolTable(source, functions, hashFunction)
    this.#sets = new SymbolTable(source, attributeSets, hashAttributeSet)
  }

  /** Ids of stacks. Add the needed ones. */
  get stackIds(): IdIndex {
    return this.#stacks.ids
  }

  get attributeSetIds(): IdIndex {
    return this.#sets.ids
  }

  /** By the id's number. Call `load` first. */
  stack(number: number): StackIndex {
    return this.#stackRows[number]
  }

  attributes(number: number): Int32Array {
    return this.#setRows[number]
  }

  async load(): Promise<void> {
    const firstStack = await this.#stacks.load()
    each(this.#stacks, firstStack, (block, row) => addIds(block, 'locations', row, this.#locations.ids))
    const firstLocation = await this.#locations.load()
    each(this.#locations, firstLocation, (block, row) => {
      addId(block, 'mapping', row, this.#mappings.ids)
      addIds(block, 'line_functions', row, this.#functions.ids)
      addId(block, 'attributes', row, this.#sets.ids)
    })
    const firstMapping = await this.#mappings.load()
    each(this.#mappings, firstMapping, (block, row) => addId(block, 'attributes', row, this.#sets.ids))
    const firstFunction = await this.#functions.load()
    const firstSet = await this.#sets.load()
    fill(this.#sets, firstSet, this.#setRows, NO_ATTRIBUTES, (block, row) => this.#attributeSet(block, row))
    fill(this.#functions, firstFunction, this.#functionRows, 0, (block, row) => this.#function(block, row))
    fill(this.#mappings, firstMapping, this.#mappingRows, 0, (block, row) => this.#mapping(block, row))
    fill(this.#locations, firstLocation, this.#locationRows, 0, (block, row) => this.#location(block, row))
    fill(this.#stacks, firstStack, this.#stackRows, 0, (block, row) => this.#stack(block, row))
  }

  #stack(block: Block, row: number): StackIndex {
    const column = block.column('locations')
    const ids = wordsOf(column.values)
    const from = column.from(row)
    const run = new Int32Array(column.to(row) - from)
    for (let k = 0; k < run.length; k++) {
      const at = 2 * (from + k)
      run[k] = this.#locationRows[this.#locations.ids.find(ids[at], ids[at + 1])]
    }
    return this.#builder.dictionary.stack(run, 0, run.length, unknownOf(block, row))
  }

  #location(block: Block, row: number): LocationIndex {
    const column = block.column('line_functions')
    const ids = wordsOf(column.values)
    const numbers = wordsOf(block.column('line_numbers').values)
    const columns = wordsOf(block.column('line_columns').values)
    const count = column.to(row) - column.from(row)
    const lines = new Int32Array(count * LINE_STRIDE)
    let [id, number, place] = listStarts(block, row)
    for (let at = 0; at < lines.length; id += 2, number += 2, place += 2) {
      lines[at++] = this.#functionRows[this.#functions.ids.find(ids[id], ids[id + 1])]
      lines[at++] = numbers[number]
      lines[at++] = numbers[number + 1]
      lines[at++] = columns[place]
      lines[at++] = columns[place + 1]
    }
    const address = wordsOf(block.column('address'))
    const attributes = this.#setRows[numberIn(block, 'attributes', row, this.#sets.ids)]
    const mapping = this.#mappingRows[numberIn(block, 'mapping', row, this.#mappings.ids)]
    return this.#builder.dictionary.location(
      mapping,
      address[2 * row],
      address[2 * row + 1],
      lines,
      count,
      attributes,
      attributes.length,
      unknownOf(block, row),
    )
  }

  #mapping(block: Block, row: number): MappingIndex {
    const { dictionary } = this.#builder
    const filename = block.column('filename').bytes(row)
    const attributes = this.#setRows[numberIn(block, 'attributes', row, this.#sets.ids)]
    const text = dictionary.string(filename, 0, filename.length)
    return dictionary.mapping(rangeOf(block, row), 0, text, attributes, attributes.length, unknownOf(block, row))
  }

  #function(block: Block, row: number): FunctionIndex {
    const { dictionary } = this.#builder
    const text = (name: string) => {
      const bytes = block.column(name).bytes(row)
      return dictionary.string(bytes, 0, bytes.length)
    }
    const line = wordsOf(block.column('start_line'))
    const [name, systemName, filename] = [text('name'), text('system_name'), text('filename')]
    const unknown = unknownOf(block, row)
    return dictionary.function(name, systemName, filename, line[2 * row], line[2 * row + 1], unknown)
  }

  #attributeSet(block: Block, row: number): Int32Array {
    const rows: AttributeIndex[] = []
    eachAttribute(block, row, (key, unit, kind, value, unknown) => {
      rows.push(addAttribute(this.#builder, key, unit, kind, value, unknown))
    })
    return Int32Array.from(rows)
  }
}

/** Calls back for every existing row, starting at number `first`. */
function each(table: SymbolTable, first: number, visit: (block: Block, row: number) => void): void {
  for (let number = first; number < table.ids.length; number++) {
    const block = table.block(number)
    if (block !== undefined) visit(block, table.row(number))
  }
}

function fill<Row>(
  table: SymbolTable,
  first: number,
  rows: Row[],
  absent: NoInfer<Row> | 0,
  make: (block: Block, row: number) => Row,
): void {
  for (let number = first; number < table.ids.length; number++) {
    const block = table.block(number)
    rows[number] = block === undefined ? (absent as Row) : make(block, table.row(number))
  }
}

/** Undefined for a row without unknown fields. */
function unknownOf(block: Block, row: number): Uint8Array | undefined {
  const bytes = block.column('unknown_fields').bytes(row)
  return bytes.length === 0 ? undefined : bytes
}

function addId(block: Block, column: string, row: number, ids: IdIndex): void {
  const words = wordsOf(block.column(column))
  ids.add(words[2 * row], words[2 * row + 1])
}

function numberIn(block: Block, column: string, row: number, ids: IdIndex): number {
  const words = wordsOf(block.column(column))
  return ids.find(words[2 * row], words[2 * row + 1])
}

function addIds(block: Block, name: string, row: number, ids: IdIndex): void {
  const column = block.column(name)
  const words = wordsOf(column.values)
  for (let k = 2 * column.from(row), to = 2 * column.to(row); k < to; k += 2) ids.add(words[k], words[k + 1])
}

/** The positions at which a location's functions, line numbers and columns start. */
function listStarts(block: Block, row: number): [functions: number, numbers: number, columns: number] {
  const [functionsAt, numbersAt, columnsAt] = LINE_COLUMNS.map(name => 2 * block.column(name).from(row))
  return [functionsAt, numbersAt, columnsAt]
}

/** Start, limit and offset of a mapping, two words each. */
function rangeOf(block: Block, row: number): Int32Array {
  const range = new Int32Array(6)
  for (const [i, name] of ['memory_start', 'memory_limit', 'file_offset'].entries()) {
    const words = wordsOf(block.column(name))
    range[2 * i] = words[2 * row]
    range[2 * i + 1] = words[2 * row + 1]
  }
  return range
}

function eachAttribute(
  block: Block,
  row: number,
  visit: (key: Uint8Array, unit: Uint8Array, kind: number, value: Uint8Array, unknown?: Uint8Array) => void,
): void {
  const keys = block.column('keys')
  const units = block.column('units')
  const kinds = block.column('kinds')
  const values = block.column('values')
  const unknown = unknownOf(block, row)
  const parts = unknown === undefined ? undefined : decodeParts(unknown)
  for (let k = 0; k < keys.to(row) - keys.from(row); k++) {
    visit(
      keys.values.bytes(keys.from(row) + k),
      units.values.bytes(units.from(row) + k),
      kinds.values.number(kinds.from(row) + k),
      values.values.bytes(values.from(row) + k),
      parts?.get(k),
    )
  }
}

// Hashes of stored rows, built like in write-symbols.ts.
const input = new HashInput()
const attributeInput = new HashInput()
const attributeWords = new Int32Array(HASH_WORDS)

function pushWords(words: Int32Array, from: number, to: number): void {
  for (let k = from; k < to; k++) input.push(words[k])
}

function pushNumber(block: Block, name: string, row: number): void {
  pushWords(wordsOf(block.column(name)), 2 * row, 2 * row + 2)
}

/** Unknown fields are the last words of a hash. Rows without them have the hash that they always had. */
function pushUnknown(block: Block, row: number): boolean {
  const unknown = unknownOf(block, row)
  if (unknown !== undefined) input.text(unknown)
  return unknown !== undefined
}

function hashStack(block: Block, row: number, words: Int32Array): boolean {
  const column = block.column('locations')
  const [from, to] = [2 * column.from(row), 2 * column.to(row)]
  input.start(to - from + HASH_WORDS)
  pushWords(wordsOf(column.values), from, to)
  const hasUnknown = pushUnknown(block, row)
  input.hash(Seed.stacks, words)
  return to > from || hasUnknown
}

function hashLocation(block: Block, row: number, words: Int32Array): boolean {
  const [functionColumn, numberColumn, columnColumn] = LINE_COLUMNS.map(name => block.column(name))
  const count = functionColumn.to(row) - functionColumn.from(row)
  if (numberColumn.to(row) - numberColumn.from(row) !== count) return false
  if (columnColumn.to(row) - columnColumn.from(row) !== count) return false
  input.start(7 + 6 * count + HASH_WORDS)
  for (const name of ['mapping', 'address', 'attributes']) pushNumber(block, name, row)
  input.push(count)
  const ids = wordsOf(functionColumn.values)
  const numbers = wordsOf(numberColumn.values)
  const columns = wordsOf(columnColumn.values)
  let [id, number, place] = listStarts(block, row)
  for (let k = 0; k < count; k++, id += 2, number += 2, place += 2) {
    input.pair(ids[id], ids[id + 1])
    input.pair(numbers[number], numbers[number + 1])
    input.pair(columns[place], columns[place + 1])
  }
  pushUnknown(block, row)
  input.hash(Seed.locations, words)
  return true
}

function hashMapping(block: Block, row: number, words: Int32Array): boolean {
  input.start(8 + 2 * HASH_WORDS)
  pushWords(rangeOf(block, row), 0, 6)
  input.text(block.column('filename').bytes(row))
  pushNumber(block, 'attributes', row)
  pushUnknown(block, row)
  input.hash(Seed.mappings, words)
  return true
}

function hashFunction(block: Block, row: number, words: Int32Array): boolean {
  input.start(2 + 4 * HASH_WORDS)
  for (const name of ['name', 'system_name', 'filename']) input.text(block.column(name).bytes(row))
  pushNumber(block, 'start_line', row)
  pushUnknown(block, row)
  input.hash(Seed.functions, words)
  return true
}

function hashAttributeSet(block: Block, row: number, words: Int32Array): boolean {
  const keys = block.column('keys')
  const count = keys.to(row) - keys.from(row)
  for (const name of ['units', 'kinds', 'values']) {
    const column = block.column(name)
    if (column.to(row) - column.from(row) !== count) return false
  }
  input.start(count * HASH_WORDS)
  eachAttribute(block, row, (key, unit, kind, value, unknown) => {
    attributeInput.start(1 + 4 * HASH_WORDS)
    attributeInput.text(key)
    attributeInput.text(unit)
    attributeInput.push(kind)
    attributeInput.text(value)
    if (unknown !== undefined) attributeInput.text(unknown)
    attributeInput.hash(Seed.attribute, attributeWords)
    input.words(attributeWords, 0)
  })
  input.hash(Seed.attribute_sets, words)
  return count > 0
}
