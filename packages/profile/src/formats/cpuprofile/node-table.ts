// The nodes of a call tree as V8 writes it, in columns, and their conversion: a node becomes a location, and the path from
// it to the root becomes a stack.
//
//   columns   name, url, script id, deopt reason (rows of strings), line, column (from 1, 0 is none), parent
import type { LocationIndex, StackIndex, StringIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { GrowingInts, GrowingLongs } from '../../model/columns/growing-columns.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { ExpansionLimit } from '../expansion-limit.ts'
import type { NoteList } from '../format.ts'
import { ANONYMOUS, FRAME_TYPE, ROOT } from './attribute-names.ts'

const STRIDE = 7

/** The frame that is being read. V8's old form has it in the node itself, the new form in `callFrame`. */
export interface CallFrame {
  name: StringIndex
  url: StringIndex
  script: StringIndex
  deopt: StringIndex
  /** From 0, as V8 counts. -1 means none. */
  line: number
  column: number
}

export class NodeTable {
  readonly #builder: ProfilesBuilder
  readonly #columns = new GrowingInts()
  /** The self value of each node: hits, or bytes in use. */
  readonly values = new GrowingLongs()
  /** Columns: node, line. Tick counts are in a separate list. */
  readonly ticks = new GrowingInts()
  readonly tickCounts = new GrowingLongs()
  readonly #rows = new Map<number, number>()
  #repeatedIds = 0
  /** Parent row and child id, from the new form. */
  readonly #children: number[] = []
  /** Child row and parent id, from Chrome's traces. */
  readonly #parents: number[] = []
  readonly #hasChild = new Set<number>()
  #stacks = new Int32Array(0)
  #depths = new Int32Array(0)
  readonly #locations = new GrowingInts()
  readonly #expansion: ExpansionLimit
  readonly #root: StringIndex
  readonly #anonymous: StringIndex
  readonly #line = new Int32Array(5)
  readonly #attributes = new Int32Array(4)

  constructor(builder: ProfilesBuilder, inputBytes: number) {
    this.#builder = builder
    this.#expansion = new ExpansionLimit(inputBytes)
    this.#root = builder.string(ROOT)
    this.#anonymous = builder.string(ANONYMOUS)
  }

  get length(): number {
    return this.values.length
  }

  open(parent: number = NONE): number {
    const row = this.length
    const array = this.#columns.reserve(STRIDE)
    array.fill(0, row * STRIDE, row * STRIDE + STRIDE)
    array[row * STRIDE + 6] = parent
    this.#columns.length += STRIDE
    this.values.push(0n)
    if (parent !== NONE) this.#hasChild.add(parent)
    return row
  }

  setFrame(row: number, frame: CallFrame): void {
    const { array } = this.#columns
    const at = row * STRIDE
    array[at] = frame.name === 0 ? this.#anonymous : frame.name
    array[at + 1] = frame.url
    array[at + 2] = frame.script
    array[at + 3] = frame.deopt
    array[at + 4] = fromOne(frame.line)
    array[at + 5] = fromOne(frame.column)
  }

  /** The first node with an id keeps it. */
  setId(row: number, id: number): void {
    if (this.#rows.has(id)) this.#repeatedIds++
    else this.#rows.set(id, row)
  }

  rowOf(id: number): number {
    return this.#rows.get(id) ?? NONE
  }

  addChild(row: number, childId: number): void {
    this.#children.push(row, childId)
  }

  setParent(row: number, parentId: number): void {
    this.#parents.push(row, parentId)
  }

  addTicks(row: number, line: number, ticks: bigint): void {
    this.ticks.push(row)
    this.ticks.push(line)
    this.tickCounts.push(ticks)
  }

  isLeaf(row: number): boolean {
    return !this.#hasChild.has(row)
  }

  /** Connects the nodes after all were read. Returns false if a node is its own caller. */
  link(notes: NoteList): boolean {
    let lost = 0
    for (let i = 0; i < this.#children.length; i += 2) {
      const child = this.rowOf(this.#children[i + 1])
      if (child === NONE) lost++
      else this.#adopt(child, this.#children[i])
    }
    notes.addDamage('lost-children', 'children that the file does not contain are skipped', lost)
    lost = 0
    for (let i = 0; i < this.#parents.length; i += 2) {
      const parent = this.rowOf(this.#parents[i + 1])
      if (parent === NONE) lost++
      else this.#adopt(this.#parents[i], parent)
    }
    notes.addDamage('lost-parents', 'stacks are truncated at callers that the file does not contain', lost)
    notes.add('repeated-ids', 'nodes with the id of an earlier node are skipped', this.#repeatedIds)
    this.#stacks = new Int32Array(this.length).fill(NONE)
    return this.#measure()
  }

  /** Returns undefined if the stacks would exceed the memory limit for a file of this size. */
  stack(row: number): StackIndex | undefined {
    if (this.#stacks[row] === NONE) {
      if (!this.#expansion.spend(this.#depths[row])) return undefined
      this.#stacks[row] = this.#stackOf(row, this.isRoot(row) ? NONE : this.#location(row))
    }
    return this.#stacks[row] as StackIndex
  }

  /** The same stack with the leaf at another line of its function. */
  stackAtLine(row: number, line: number): StackIndex | undefined {
    if (!this.#expansion.spend(this.#depths[row])) return undefined
    return this.#stackOf(row, this.#makeLocation(row, line))
  }

  /** The first parent wins. */
  #adopt(child: number, parent: number): void {
    const at = child * STRIDE + 6
    if (this.#columns.array[at] !== NONE) return
    this.#columns.array[at] = parent
    this.#hasChild.add(parent)
  }

  #parent(row: number): number {
    return this.#columns.array[row * STRIDE + 6]
  }

  /** Whether it is the topmost node, which is not a frame. */
  isRoot(row: number): boolean {
    return this.#parent(row) === NONE && this.#columns.array[row * STRIDE] === this.#root
  }

  /** Computes the depths. Returns false if there is a cycle. */
  #measure(): boolean {
    const depths = new Int32Array(this.length)
    const path: number[] = []
    for (let row = 0; row < depths.length; row++) {
      let at = row
      while (at !== NONE && depths[at] === 0) {
        path.push(at)
        if (path.length > depths.length) return false
        at = this.#parent(at)
      }
      let depth = at === NONE ? 0 : depths[at]
      for (let node = path.pop(); node !== undefined; node = path.pop()) depths[node] = ++depth
    }
    this.#depths = depths
    return true
  }

  #stackOf(row: number, leaf: number): StackIndex {
    const { stacks } = this.#builder.dictionary
    // Locations come first: they are interned too, and must not overwrite the space after the stacks.
    for (let at = this.#parent(row); at !== NONE; at = this.#parent(at)) if (!this.isRoot(at)) this.#location(at)
    const run = stacks.pool.reserve(this.#depths[row])
    let end = stacks.pool.length
    if (leaf !== NONE) run[end++] = leaf
    for (let at = this.#parent(row); at !== NONE; at = this.#parent(at)) {
      if (!this.isRoot(at)) run[end++] = this.#locations.array[at]
    }
    return stacks.internTail(end - stacks.pool.length) as StackIndex
  }

  #location(row: number): LocationIndex {
    const known = this.#locations
    if (known.length < this.length) {
      known.reserve(this.length - known.length).fill(0, known.length, this.length)
      known.length = this.length
    }
    if (known.array[row] === 0) known.array[row] = this.#makeLocation(row, 0)
    return known.array[row] as LocationIndex
  }

  /** Makes a location at the given line, or at the start of the function. */
  #makeLocation(row: number, tickLine: number): LocationIndex {
    const builder = this.#builder
    const { dictionary } = builder
    const [name, url, script, deopt, line, column] = this.#columns.array.subarray(row * STRIDE, row * STRIDE + STRIDE)
    const attributes = this.#attributes
    let count = 0
    attributes[count++] = builder.attribute(ATTRIBUTES.frameType, FRAME_TYPE)
    if (script !== 0) attributes[count++] = this.#text(ATTRIBUTES.v8ScriptId, script)
    if (deopt !== 0) attributes[count++] = this.#text(ATTRIBUTES.v8DeoptReason, deopt)
    if (tickLine > 0) attributes[count++] = builder.attribute(ATTRIBUTES.v8FunctionColumn, BigInt(column))
    const run = this.#line
    run[0] = dictionary.function(name as StringIndex, 0 as StringIndex, url as StringIndex, line, 0)
    run[1] = tickLine > 0 ? tickLine : line
    run[3] = tickLine > 0 ? 0 : column
    return dictionary.location(0 as never, 0, 0, run, 1, attributes, count)
  }

  #text(key: string, row: number): number {
    const { dictionary } = this.#builder
    const rows = dictionary.strings.rows.array
    const offset = rows[2 * row]
    return dictionary.attribute(
      this.#builder.string(key),
      0 as StringIndex,
      ValueKind.string,
      offset,
      rows[2 * row + 1],
      dictionary.bytes.array,
    )
  }
}

/** Lines beyond int32 do not exist in source files. */
function fromOne(position: number): number {
  return position >= 0 && position < 0x7fff_fffe ? Math.floor(position) + 1 : 0
}
