// Writes the referenced dictionary rows of one request, each hashed once, and returns their ids. A row's hash contains the
// ids of the rows it refers to, so that a stored row is enough to check it (see load-symbols.ts):
//
//   attribute       key, unit (4 words each), kind, value (4 words)      function   name, system name, file (4 words), line
//   attribute set   its attributes (4 words each), sorted, without repeats   stack  its locations
//   mapping         start, limit, offset, file (4 words), attributes     series     resource, scope, four texts (4 words)
//   location        mapping, address, attributes, number of lines, and of each line: function, line, column
//
// Ids and numbers are two words. Empty content (no locations, no name and no line…) has the id 0 and no row.
import type {
  AttributeIndex,
  Dictionary,
  FunctionIndex,
  LocationIndex,
  MappingIndex,
  Pool,
  StackIndex,
  StringIndex,
  UnknownTable,
} from '@hearth/profile'
import { FUNCTION_STRIDE, LINE_STRIDE, LOCATION_STRIDE, MAPPING_STRIDE } from '@hearth/profile'
import type { GroupRows, RowContext } from '../group-rows.ts'
import type { StringColumn } from '../native/column.ts'
import type { ColumnsOf } from '../native/table.ts'
import { functions, locations, mappings, series, stacks } from '../schema/symbol-tables.ts'
import type { SymbolLedger } from '../symbol-ledger.ts'
import type { HashInput } from './content-hash.ts'
import { HASH_WORDS, Seed, hashInts } from './content-hash.ts'
import type { Memo, SymbolScratches } from './memo.ts'
import { SymbolRows } from './symbol-rows.ts'
import { AttributeSetWriter, TextHashes } from './write-attribute-sets.ts'

const NO_BYTES = new Uint8Array(0)

interface SymbolColumns {
  readonly functions: ColumnsOf<(typeof functions)['columns']>
  readonly mappings: ColumnsOf<(typeof mappings)['columns']>
  readonly locations: ColumnsOf<(typeof locations)['columns']>
  readonly stacks: ColumnsOf<(typeof stacks)['columns']>
  readonly series: ColumnsOf<(typeof series)['columns']>
}

export class SymbolWriter {
  readonly #dictionary: Dictionary
  readonly #columns: SymbolColumns
  readonly #rows: SymbolRows
  readonly #texts: TextHashes
  readonly #sets: AttributeSetWriter
  readonly #input: HashInput
  /** The input of a stack's hash. Separate, because locations are written while the stack is being hashed. */
  readonly #run: HashInput
  readonly #words: Int32Array
  readonly #functions: Memo
  readonly #mappings: Memo
  readonly #locations: Memo
  readonly #stacks: Memo
  readonly #attributes = new Int32Array(2)

  constructor(
    group: GroupRows,
    context: RowContext,
    ledger: SymbolLedger,
    dictionary: Dictionary,
    scratches: SymbolScratches,
  ) {
    this.#rows = new SymbolRows(context, ledger)
    const scratch = scratches.for(dictionary, context.tenant, ledger)
    this.#dictionary = dictionary
    this.#columns = {
      functions: group.batch(functions).columns,
      mappings: group.batch(mappings).columns,
      locations: group.batch(locations).columns,
      stacks: group.batch(stacks).columns,
      series: group.batch(series).columns,
    }
    this.#texts = new TextHashes(dictionary, scratch.texts)
    this.#sets = new AttributeSetWriter(group, this.#rows, dictionary, this.#texts, scratch)
    this.#input = scratch.input
    this.#run = scratch.run
    this.#words = scratch.words
    this.#functions = scratch.functions
    this.#mappings = scratch.mappings
    this.#locations = scratch.locations
    this.#stacks = scratch.stacks
  }

  /** Ids by row of the dictionary's stacks, two words each. Valid where `stacksDone`; otherwise call `stack`. */
  get stackIds(): Int32Array {
    return this.#stacks.words
  }

  get stacksDone(): Uint8Array {
    return this.#stacks.done
  }

  stack(i: StackIndex): void {
    const { done, words: ids } = this.#stacks
    if (done[i] !== 0) return
    done[i] = 1
    const { stacks: table } = this.#dictionary
    const { ints, base } = table.locations
    const from = base + table.from(i)
    const to = base + table.to(i)
    ids[2 * i] = ids[2 * i + 1] = 0
    const unknown = this.#unknown('stacks', i)
    if (from === to && unknown === undefined) return
    const count = 2 * (to - from)
    this.#run.start(count + HASH_WORDS)
    const run = this.#run.ints
    const { done: locationsDone, words: locationIds } = this.#locations
    for (let k = from, at = 0; k < to; k++) {
      const location = ints[k]
      if (locationsDone[location] === 0) this.#location(location as LocationIndex)
      run[at++] = locationIds[2 * location]
      run[at++] = locationIds[2 * location + 1]
    }
    this.#run.length = count
    if (unknown !== undefined) this.#run.text(unknown)
    hashInts(Seed.stacks, run, 0, this.#run.length, this.#words, 0)
    const { stacks: columns } = this.#columns
    if (this.#rows.start('stacks', columns, this.#words)) {
      columns.locations.values.pushPairs(run, 0, to - from)
      columns.locations.endRow()
      columns.unknown_fields.pushBytes(unknown ?? NO_BYTES)
    }
    ids[2 * i] = this.#words[0]
    ids[2 * i + 1] = this.#words[1]
  }

  /** Writes the id of a list of attributes to `out`, as two words. */
  attributeSet(list: Pool<AttributeIndex>, from: number, to: number, out: Int32Array, at: number): void {
    this.#sets.id(list, from, to, out, at)
  }

  /** Writes the id of a series to `out`. Types and units are strings of the dictionary. */
  series(
    resource: { readonly lo: number; readonly hi: number; readonly service: Uint8Array },
    scope: { readonly lo: number; readonly hi: number },
    texts: readonly [type: StringIndex, unit: StringIndex, periodType: StringIndex, periodUnit: StringIndex],
    out: Int32Array,
  ): void {
    const input = this.#input
    input.start(4 + 4 * HASH_WORDS)
    input.pair(resource.lo, resource.hi)
    input.pair(scope.lo, scope.hi)
    for (const text of texts) input.words(this.#texts.words, this.#texts.of(text))
    input.hash(Seed.series, this.#words)
    const { series: columns } = this.#columns
    if (this.#rows.start('series', columns, this.#words)) {
      columns.resource.pushHalves(resource.lo, resource.hi)
      columns.scope.pushHalves(scope.lo, scope.hi)
      columns.service.pushBytes(resource.service)
      this.pushText(columns.type, texts[0])
      this.pushText(columns.unit, texts[1])
      this.pushText(columns.period_type, texts[2])
      this.pushText(columns.period_unit, texts[3])
    }
    out[0] = this.#words[0]
    out[1] = this.#words[1]
  }

  pushText(column: StringColumn, i: StringIndex): void {
    this.#texts.push(column, i)
  }

  #function(i: FunctionIndex): void {
    const { done, words: ids } = this.#functions
    done[i] = 1
    const { functions: table, strings } = this.#dictionary
    const at = table.base + i * FUNCTION_STRIDE
    const lineLo = table.ints[at + 3]
    const lineHi = table.ints[at + 4]
    const name = table.ints[at] as StringIndex
    const systemName = table.ints[at + 1] as StringIndex
    const filename = table.ints[at + 2] as StringIndex
    ids[2 * i] = ids[2 * i + 1] = 0
    const length = strings.byteLength(name) + strings.byteLength(systemName) + strings.byteLength(filename)
    const unknown = this.#unknown('functions', i)
    if (length === 0 && lineLo === 0 && lineHi === 0 && unknown === undefined) return
    const input = this.#input
    input.start(4 * HASH_WORDS + 2)
    input.words(this.#texts.words, this.#texts.of(name))
    input.words(this.#texts.words, this.#texts.of(systemName))
    input.words(this.#texts.words, this.#texts.of(filename))
    input.pair(lineLo, lineHi)
    if (unknown !== undefined) input.text(unknown)
    input.hash(Seed.functions, this.#words)
    const { functions: columns } = this.#columns
    if (this.#rows.start('functions', columns, this.#words)) {
      this.pushText(columns.name, name)
      this.pushText(columns.system_name, systemName)
      this.pushText(columns.filename, filename)
      columns.start_line.pushHalves(lineLo, lineHi)
      columns.unknown_fields.pushBytes(unknown ?? NO_BYTES)
    }
    ids[2 * i] = this.#words[0]
    ids[2 * i + 1] = this.#words[1]
  }

  #mapping(i: MappingIndex): void {
    const { done, words: ids } = this.#mappings
    done[i] = 1
    const { mappings: table, strings } = this.#dictionary
    const { ints } = table
    const at = table.base + i * MAPPING_STRIDE
    const filename = table.filename(i)
    const attributes = this.#attributes
    this.#sets.id(table.attributes, table.attributesFrom(i), table.attributesTo(i), attributes, 0)
    ids[2 * i] = ids[2 * i + 1] = 0
    let set = strings.byteLength(filename) | attributes[0] | attributes[1]
    for (let k = 0; k < 6; k++) set |= ints[at + k]
    const unknown = this.#unknown('mappings', i)
    if (set === 0 && unknown === undefined) return
    const input = this.#input
    input.start(8 + 2 * HASH_WORDS)
    for (let k = 0; k < 6; k++) input.push(ints[at + k])
    input.words(this.#texts.words, this.#texts.of(filename))
    input.pair(attributes[0], attributes[1])
    if (unknown !== undefined) input.text(unknown)
    input.hash(Seed.mappings, this.#words)
    const { mappings: columns } = this.#columns
    if (this.#rows.start('mappings', columns, this.#words)) {
      columns.memory_start.pushHalves(ints[at], ints[at + 1])
      columns.memory_limit.pushHalves(ints[at + 2], ints[at + 3])
      columns.file_offset.pushHalves(ints[at + 4], ints[at + 5])
      this.pushText(columns.filename, filename)
      columns.attributes.pushHalves(attributes[0], attributes[1])
      columns.unknown_fields.pushBytes(unknown ?? NO_BYTES)
    }
    ids[2 * i] = this.#words[0]
    ids[2 * i + 1] = this.#words[1]
  }

  #location(i: LocationIndex): void {
    const { done, words: ids } = this.#locations
    done[i] = 1
    const { locations: table } = this.#dictionary
    const { ints, lines } = table
    const at = table.base + i * LOCATION_STRIDE
    const linesFrom = table.linesFrom(i)
    const lineCount = ints[at + 3] - linesFrom
    const firstLine = lines.base + linesFrom * LINE_STRIDE
    const mapping = ints[at] as MappingIndex
    if (this.#mappings.done[mapping] === 0) this.#mapping(mapping)
    const functionsDone = this.#functions.done
    for (let k = 0; k < lineCount; k++) {
      const row = lines.ints[firstLine + k * LINE_STRIDE] as FunctionIndex
      if (functionsDone[row] === 0) this.#function(row)
    }
    const attributes = this.#attributes
    this.#sets.id(table.attributes, table.attributesFrom(i), ints[at + 4], attributes, 0)
    const mappingLo = this.#mappings.words[2 * mapping]
    const mappingHi = this.#mappings.words[2 * mapping + 1]
    ids[2 * i] = ids[2 * i + 1] = 0
    const set = mappingLo | mappingHi | ints[at + 1] | ints[at + 2] | lineCount | attributes[0] | attributes[1]
    const unknown = this.#unknown('locations', i)
    if (set === 0 && unknown === undefined) return
    const functionIds = this.#functions.words
    const input = this.#input
    input.start(7 + lineCount * 6 + HASH_WORDS)
    input.pair(mappingLo, mappingHi)
    input.pair(ints[at + 1], ints[at + 2])
    input.pair(attributes[0], attributes[1])
    input.push(lineCount)
    for (let k = 0, line = firstLine; k < lineCount; k++, line += LINE_STRIDE) {
      const row = 2 * lines.ints[line]
      input.pair(functionIds[row], functionIds[row + 1])
      input.pair(lines.ints[line + 1], lines.ints[line + 2])
      input.pair(lines.ints[line + 3], lines.ints[line + 4])
    }
    if (unknown !== undefined) input.text(unknown)
    input.hash(Seed.locations, this.#words)
    const { locations: columns } = this.#columns
    if (this.#rows.start('locations', columns, this.#words)) {
      columns.mapping.pushHalves(mappingLo, mappingHi)
      columns.address.pushHalves(ints[at + 1], ints[at + 2])
      for (let k = 0, line = firstLine; k < lineCount; k++, line += LINE_STRIDE) {
        const row = 2 * lines.ints[line]
        columns.line_functions.values.pushHalves(functionIds[row], functionIds[row + 1])
        columns.line_numbers.values.pushHalves(lines.ints[line + 1], lines.ints[line + 2])
        columns.line_columns.values.pushHalves(lines.ints[line + 3], lines.ints[line + 4])
      }
      columns.line_functions.endRow()
      columns.line_numbers.endRow()
      columns.line_columns.endRow()
      columns.attributes.pushHalves(attributes[0], attributes[1])
      columns.unknown_fields.pushBytes(unknown ?? NO_BYTES)
    }
    ids[2 * i] = this.#words[0]
    ids[2 * i + 1] = this.#words[1]
  }

  /** Row 0 is "not set": its unknown fields are in the row of the request. */
  #unknown(table: UnknownTable, row: number): Uint8Array | undefined {
    const { unknown } = this.#dictionary
    return unknown === undefined || row === 0 ? undefined : unknown[table]?.get(row)
  }
}
