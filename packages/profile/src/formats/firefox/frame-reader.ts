// Converts frames and stacks of a thread to locations and stacks of the dictionary. Stacks form a tree, in which each
// node extends another. Only stacks of samples are expanded. Frames that were inlined at one address are one location.
//
//   stackTable  prefix  -  0  1        frame 0  1  2        stack 2 = frames 2, 1, 0, leaf first
import type { MappingIndex, StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { LINE_STRIDE } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { NoteList } from '../format.ts'
import { FormatError } from '../format.ts'
import type { ExpansionLimit } from '../expansion-limit.ts'
import type { Lib } from './read-libs.ts'
import type { StringList } from './string-list.ts'
import type { FirefoxColumn, TableColumns } from './table-columns.ts'

const NONE = -1
const NO_STRING = 0 as StringIndex
const NO_INTS = new Int32Array(0)
const HEX = /^0x[0-9a-f]{1,16}$/i
/** `name (file:line)` or `name (file:line:column)`, as Gecko writes scripts. */
const SCRIPT = /^(.*) \((.+?):(\d{1,9})(?::(\d{1,9}))?\)$/s

export interface ThreadTables {
  readonly strings: StringList
  readonly libs: readonly Lib[]
  readonly frameTable: TableColumns
  readonly stackTable: TableColumns
  /** Only in processed profiles. Gecko's profiles have the location of a frame as text. */
  readonly funcTable: TableColumns | undefined
  readonly resourceTable: TableColumns | undefined
  readonly sources: TableColumns | undefined
}

export class FirefoxFrameReader {
  readonly #builder: ProfilesBuilder
  readonly #tables: ThreadTables
  readonly #limit: ExpansionLimit
  readonly #notes: NoteList
  readonly #stacks: Int32Array
  readonly #locations: Int32Array
  readonly #path = new GrowingInts(128)
  readonly #lines = new GrowingInts(16 * LINE_STRIDE)
  readonly #prefix: FirefoxColumn
  readonly #prefixOffset: FirefoxColumn | undefined
  readonly #frame: FirefoxColumn
  readonly #depth: FirefoxColumn
  readonly #address: FirefoxColumn

  constructor(builder: ProfilesBuilder, tables: ThreadTables, limit: ExpansionLimit, notes: NoteList) {
    const { stackTable, frameTable } = tables
    this.#builder = builder
    this.#tables = tables
    this.#limit = limit
    this.#notes = notes
    this.#stacks = new Int32Array(stackTable.length).fill(NONE)
    this.#locations = new Int32Array(frameTable.length).fill(NONE)
    this.#prefix = stackTable.column('prefix')
    this.#prefixOffset = stackTable.has('prefixOffset') ? stackTable.column('prefixOffset') : undefined
    this.#frame = stackTable.column('frame')
    this.#depth = frameTable.column('inlineDepth')
    this.#address = frameTable.column('address')
  }

  /** The row of a stack. NONE (no stack) gives row 0, as does a stack that is not in the table. */
  stack(i: number): number {
    if (i === NONE) return 0
    if (!(i >= 0 && i < this.#stacks.length)) {
      this.#notes.addDamage('missing-stacks', 'samples refer to stacks that are not in the file')
      return 0
    }
    if (this.#stacks[i] === NONE) this.#stacks[i] = this.#readStack(i)
    return this.#stacks[i]
  }

  /** Counts the frames of all expanded stacks before expanding any. */
  plan(stacks: FirefoxColumn): void {
    const { stackTable } = this.#tables
    const depths = this.#readDepths()
    const isCounted = new Uint8Array(depths.length)
    for (let i = 0; i < stacks.length; i++) {
      const stack = stacks.at(i)
      if (!(stack >= 0 && stack < depths.length) || isCounted[stack] === 1) continue
      isCounted[stack] = 1
      if (!this.#limit.spend(depths[stack])) fail(stackTable, `stacks expand to more than ${this.#limit.limit} frames`)
    }
  }

  #readDepths(): Int32Array {
    const depths = new Int32Array(this.#stacks.length)
    for (let i = 0; i < depths.length; i++) {
      const above = this.#above(i)
      depths[i] = above >= 0 && above < i ? depths[above] + 1 : 1
    }
    return depths
  }

  #readStack(stack: number): number {
    const { frameTable } = this.#tables
    const path = this.#path
    path.length = 0
    let joined = false
    for (let i = stack; i !== NONE;) {
      const frame = this.#frame.at(i)
      let above = this.#above(i)
      // Each node extends an earlier one, so chains end.
      if (above >= i || above < NONE) {
        this.#notes.addDamage('lost-callers', 'stacks are truncated at a caller that is not in the file')
        above = NONE
      }
      const joins = above !== NONE && this.#joins(frame, this.#frame.at(above))
      if (!(frame >= 0 && frame < frameTable.length)) {
        this.#notes.add('missing-frames', 'frames that are not in the file are called [unknown]')
        path.push(this.#builder.location({}))
      } else if (joins) {
        // Kept until the frame that it was inlined into.
        if (!joined) this.#lines.length = 0
        this.#addLine(frame)
      } else path.push(joined ? this.#inlined(frame) : this.#location(frame))
      joined = joins
      i = above
    }
    return this.#builder.dictionary.stack(path.array, 0, path.length)
  }

  #above(i: number): number {
    if (this.#prefixOffset === undefined) return this.#prefix.at(i)
    const offset = this.#prefixOffset.at(i)
    return offset <= 0 ? NONE : i - offset
  }

  #joins(frame: number, outer: number): boolean {
    const depth = this.#depth.at(frame)
    return (
      depth > 0 &&
      this.#depth.at(outer) === depth - 1 &&
      this.#address.lo(frame) === this.#address.lo(outer) &&
      this.#address.hi(frame) === this.#address.hi(outer) &&
      this.#address.at(frame) !== NONE
    )
  }

  #location(frame: number): number {
    if (this.#locations[frame] === NONE) {
      this.#lines.length = 0
      this.#locations[frame] = this.#inlined(frame)
    }
    return this.#locations[frame]
  }

  /** The location of the frame and of the frames before it that were inlined into it. */
  #inlined(frame: number): number {
    const { frameTable, funcTable } = this.#tables
    const unnamed = this.#lines.length === 0 && this.#isAddress(frame)
    const lo = this.#address.lo(frame)
    const hi = this.#address.hi(frame)
    const hasAddress = !(lo === NONE && hi === NONE)
    if (!unnamed) this.#addLine(frame)
    let mapping = 0 as MappingIndex
    let address = hasAddress ? BigInt.asUintN(64, (BigInt(hi) << 32n) | BigInt(lo >>> 0)) : 0n
    if (funcTable === undefined && unnamed) {
      address = BigInt(this.#tables.strings.text(frameTable.column('location').at(frame)))
      mapping = this.#tables.libs.find(lib => address >= lib.start && address < lib.end)?.mapping ?? mapping
    } else if (funcTable !== undefined) {
      const lib = this.#lib(frame, funcTable)
      mapping = lib?.mapping ?? mapping
      if (lib !== undefined && hasAddress) address = memoryAddress(lib, address)
    }
    const { dictionary } = this.#builder
    const low = Number(BigInt.asIntN(32, address))
    const high = Number(BigInt.asIntN(32, address >> 32n))
    const lines = this.#lines
    return dictionary.location(mapping, low, high, lines.array, lines.length / LINE_STRIDE, NO_INTS, 0)
  }

  /** Whether only the address of the frame is known. It then stands in place of the name. */
  #isAddress(frame: number): boolean {
    const { frameTable, funcTable, strings } = this.#tables
    const isHex = (table: TableColumns, column: string, row: number): boolean => {
      const name = this.#optional(table, column, row, strings.length)
      return name !== NONE && HEX.test(strings.text(name))
    }
    if (funcTable === undefined) return isHex(frameTable, 'location', frame)
    const func = this.#optional(frameTable, 'func', frame, funcTable.length)
    if (func === NONE || this.#address.at(frame) === NONE || funcTable.column('isJS').at(func) === 1) return false
    return isHex(funcTable, 'name', func)
  }

  #addLine(frame: number): void {
    const { frameTable, funcTable } = this.#tables
    const line = frameTable.column('line')
    const column = frameTable.column('column')
    const func = funcTable === undefined ? this.#scriptFunction(frame) : this.#function(frame, funcTable)
    this.#lines.push(func)
    for (const cells of [line, column]) {
      this.#lines.push(cells.lo(frame))
      this.#lines.push(cells.hi(frame))
    }
  }

  #scriptFunction(frame: number): number {
    const { frameTable, strings } = this.#tables
    const location = this.#index(frameTable, 'location', frame, strings.length)
    if (location === NONE) return this.#unnamedFunction()
    const match = SCRIPT.exec(strings.text(location))
    if (match === null) return this.#builder.dictionary.function(strings.row(location), NO_STRING, NO_STRING, 0, 0)
    return this.#builder.function({ name: match[1], filename: match[2], startLine: Number(match[3]) })
  }

  #function(frame: number, funcTable: TableColumns): number {
    const { frameTable, strings, sources } = this.#tables
    const func = this.#index(frameTable, 'func', frame, funcTable.length)
    if (func === NONE) return this.#unnamedFunction()
    const nameRow = this.#index(funcTable, 'name', func, strings.length)
    const name = nameRow === NONE ? NO_STRING : strings.row(nameRow)
    let file = this.#optional(funcTable, 'fileName', func, strings.length)
    if (sources !== undefined && file === NONE) {
      const source = this.#optional(funcTable, 'source', func, sources.length)
      if (source !== NONE) file = this.#optional(sources, 'filename', source, strings.length)
    }
    const start = funcTable.column('lineNumber')
    const filename = file === NONE ? NO_STRING : strings.row(file)
    return this.#builder.dictionary.function(name, NO_STRING, filename, start.lo(func), start.hi(func))
  }

  #lib(frame: number, funcTable: TableColumns): Lib | undefined {
    const { frameTable, resourceTable, libs } = this.#tables
    let lib = this.#optional(frameTable, 'lib', frame, libs.length)
    if (lib === NONE && resourceTable !== undefined) {
      const func = this.#optional(frameTable, 'func', frame, funcTable.length)
      const resource = func === NONE ? NONE : this.#optional(funcTable, 'resource', func, resourceTable.length)
      if (resource !== NONE) lib = this.#optional(resourceTable, 'lib', resource, libs.length)
    }
    return lib === NONE ? undefined : libs[lib]
  }

  #unnamedFunction(): number {
    return this.#builder.dictionary.function(NO_STRING, NO_STRING, NO_STRING, 0, 0)
  }

  /** Counts references to missing entries and returns NONE for them. */
  #index(table: TableColumns, column: string, row: number, length: number): number {
    const index = this.#optional(table, column, row, length)
    if (index === NONE)
      this.#notes.add('missing-names', 'frames without a name refer to names that are not in the file')
    return index
  }

  #optional(table: TableColumns, column: string, row: number, length: number): number {
    const index = table.column(column).at(row)
    return index >= 0 && index < length ? index : NONE
  }
}

function fail({ offset, path }: TableColumns, what: string): never {
  throw new FormatError('firefox', offset, what, path)
}

/** Converts an address that is relative to the library, as in processed profiles, unless the file lacks the memory range. */
function memoryAddress({ start, end, offset }: Lib, relative: bigint): bigint {
  const address = relative + start - offset
  return address >= start && address < end ? address : relative
}
