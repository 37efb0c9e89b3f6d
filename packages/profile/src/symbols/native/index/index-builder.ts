// Collects what readers find (functions with lines, lines without a function, plain symbols) and joins it into one table of
// addresses. Debug information wins over symbols, which fill its gaps.
import { finish, HashIndex, mix } from '../../../model/build/hash-index.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { compareTexts } from '../../../model/columns/order.ts'
import type { ImageBase } from '../byte-cursor.ts'
import type { FunctionSymbol } from '../object/object-file.ts'
import { FUNCTION_FIELDS, NODE_FIELDS, type IndexColumns } from './symbol-index.ts'

export const NO_NODE = -1
/** The function of lines that no function entry covers, as in assembler. A symbol gives it a name. */
const NO_FUNCTION = -1
/** The function of lines between functions: mostly padding, which is dropped where no symbol gives it a name. */
const PADDING = -2

export class IndexBuilder {
  readonly #base: ImageBase
  readonly #strings: string[] = ['']
  readonly #stringRows = new Map<string, number>([['', 0]])
  readonly #functions = new InternedRows(FUNCTION_FIELDS)
  readonly #nodes = new InternedRows(NODE_FIELDS)
  readonly #starts = new GrowingDoubles()
  readonly #ends = new GrowingDoubles()
  readonly #intervalNodes = new GrowingInts()
  /** The first interval of each run. Inside a run intervals ascend and nothing lies between them. */
  readonly #runs = new GrowingInts()
  #symbols: readonly FunctionSymbol[] = []

  constructor(base: ImageBase) {
    this.#base = base
  }

  string(text: string): number {
    let row = this.#stringRows.get(text)
    if (row === undefined) {
      row = this.#strings.length
      this.#strings.push(text)
      this.#stringRows.set(text, row)
    }
    return row
  }

  function(name: string, startLine: number): number {
    return this.#functions.intern([this.string(name), startLine])
  }

  /** A line of a function. `parent` is the node of the call that it was inlined into. */
  node(functionRow: number, file: number, line: number, column: number, parent: number): number {
    return this.#nodes.intern([functionRow, file, line, column, parent])
  }

  /** A line without a function, until `finish` finds a symbol around it. */
  lineNode(file: number, line: number, column: number, isPadding = false): number {
    return this.#nodes.intern([isPadding ? PADDING : NO_FUNCTION, file, line, column, NO_NODE])
  }

  startRun(): void {
    this.#runs.push(this.#starts.length)
  }

  interval(start: number, end: number, node: number): void {
    this.#starts.push(start)
    this.#ends.push(end)
    this.#intervalNodes.push(node)
  }

  /** Symbols that have no debug information. The order does not matter. */
  addSymbols(symbols: readonly FunctionSymbol[]): void {
    this.#symbols = this.#symbols.length === 0 ? symbols : [...this.#symbols, ...symbols]
  }

  finish(): IndexColumns {
    const symbols = orderedSymbols(this.#symbols)
    const output = new AddressTable()
    const fill = this.#symbolFiller(symbols, output)
    let reached = -Infinity
    for (const [from, to] of this.#orderedRuns()) {
      for (let i = from; i < to; i++) {
        const start = Math.max(this.#starts.array[i], reached)
        const end = this.#ends.array[i]
        if (start >= end) continue
        fill(reached, start)
        const node = this.#intervalNodes.array[i]
        if (this.#nodes.field(node, 0) < 0) fill(start, end, node)
        else output.add(start, end, node)
        reached = end
      }
    }
    fill(reached, Infinity)
    return {
      base: this.#base.address,
      starts: output.starts.view(),
      nodes: output.nodes.view(),
      nodeFields: this.#nodes.view(),
      functionFields: this.#functions.view(),
      strings: this.#strings,
    }
  }

  *#orderedRuns(): Generator<readonly [number, number]> {
    const runs = this.#runs.view()
    const total = this.#starts.length
    const order = Uint32Array.from(runs, (_, index) => index)
    const starts = this.#starts.array
    order.sort((a, b) => starts[runs[a]] - starts[runs[b]] || a - b)
    for (const run of order) {
      const from = runs[run]
      const to = run + 1 < runs.length ? runs[run + 1] : total
      if (from < to) yield [from, to]
    }
  }

  /**
   * Returns a function that writes the symbols between two addresses. With `line` it gives the symbols that line, and writes
   * a line of code without a name where there is no symbol. Calls come in the order of addresses.
   */
  #symbolFiller(
    symbols: readonly SizedSymbol[],
    output: AddressTable,
  ): (from: number, to: number, line?: number) => void {
    let next = 0
    return (from, to, line) => {
      let at = from
      while (next < symbols.length && symbols[next].end <= from) next++
      for (let i = next; i < symbols.length && symbols[i].start < to; i++) {
        const { name, file } = symbols[i]
        const start = Math.max(symbols[i].start, at)
        const end = Math.min(symbols[i].end, to)
        if (start >= end) continue
        if (at < start) this.#addNameless(output, at, start, line)
        output.add(start, end, line === undefined ? this.#symbolNode(name, file) : this.#named(line, name))
        at = end
      }
      if (at < to) this.#addNameless(output, at, to, line)
    }
  }

  #addNameless(output: AddressTable, from: number, to: number, line: number | undefined): void {
    if (line !== undefined && this.#nodes.field(line, 0) !== PADDING) output.add(from, to, this.#named(line, ''))
  }

  #symbolNode(name: string, file: string): number {
    return this.node(this.function(name, 0), this.string(file), 0, 0, NO_NODE)
  }

  #named(node: number, name: string): number {
    const field = (index: number): number => this.#nodes.field(node, index)
    return this.node(this.function(name, 0), field(1), field(2), field(3), NO_NODE)
  }
}

interface SizedSymbol {
  readonly name: string
  readonly file: string
  readonly start: number
  readonly end: number
}

/** One symbol per address, ascending, each ending where the next begins at the latest. */
function orderedSymbols(symbols: readonly FunctionSymbol[]): SizedSymbol[] {
  const sorted = symbols
    .filter(({ start }) => start >= 0)
    .toSorted(
      (a, b) =>
        a.start - b.start || Math.sign(b.size) - Math.sign(a.size) || b.rank - a.rank || compareTexts(a.name, b.name),
    )
  const ordered: { name: string; file: string; start: number; end: number }[] = []
  let lastHasSize = false
  for (const { name, file = '', start, size, limit } of sorted) {
    const last = ordered.at(-1)
    if (last !== undefined) {
      // The first of an address is the best. A label inside a function is no function.
      if (last.start === start || (size === 0 && lastHasSize && start < last.end)) continue
      if (last.end > start) last.end = start
    }
    ordered.push({ name, file, start, end: size === 0 ? limit : start + size })
    lastHasSize = size !== 0
  }
  return ordered
}

/** The joined table. Neighbours with the same node are one row, and the end of a row is a row without a node. */
class AddressTable {
  readonly starts = new GrowingDoubles()
  readonly nodes = new GrowingInts()
  #end = -Infinity

  add(start: number, end: number, node: number): void {
    const { starts, nodes } = this
    const last = nodes.length - 1
    if (start === this.#end && last >= 0) {
      // Replaces the row that ended the previous one.
      nodes.length--
      starts.length--
      if (last >= 1 && nodes.array[last - 1] === node) {
        this.#close(end)
        return
      }
    }
    starts.push(start)
    nodes.push(node)
    this.#close(end)
  }

  #close(end: number): void {
    this.starts.push(end)
    this.nodes.push(NO_NODE)
    this.#end = end
  }
}

class GrowingDoubles {
  array = new Float64Array(1024)
  length = 0

  push(value: number): void {
    if (this.length === this.array.length) {
      const grown = new Float64Array(this.length < 1 << 21 ? this.length * 2 : Math.floor(this.length * 1.5))
      grown.set(this.array)
      this.array = grown
    }
    this.array[this.length++] = value
  }

  view(): Float64Array {
    return this.array.subarray(0, this.length)
  }
}

/** Rows of a fixed number of ints, each stored once. */
class InternedRows {
  readonly #width: number
  readonly #rows = new GrowingInts()
  readonly #index = new HashIndex()

  constructor(width: number) {
    this.#width = width
  }

  intern(row: readonly number[]): number {
    let hash = this.#width
    for (const value of row) hash = mix(hash, value)
    hash = finish(hash)
    const { slots } = this.#index
    const mask = slots.length - 1
    let slot = (hash << 1) & mask
    for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
      if (slots[slot + 1] === hash && this.#equals(slots[slot] - 1, row)) return slots[slot] - 1
    }
    const added = this.#index.add(slot, hash)
    for (const value of row) this.#rows.push(value)
    return added
  }

  field(row: number, index: number): number {
    return this.#rows.array[row * this.#width + index]
  }

  view(): Int32Array {
    return this.#rows.view()
  }

  #equals(row: number, values: readonly number[]): boolean {
    const from = row * this.#width
    for (let i = 0; i < values.length; i++) if (this.#rows.array[from + i] !== values[i]) return false
    return true
  }
}
