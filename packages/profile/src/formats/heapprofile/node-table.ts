// The nodes of a call tree as V8 writes it, in columns, and what they become: a node is a location, and the path from it to
// the root is a stack.
//
//   columns   name, url, script id (rows of strings), line, column (from 1, 0 is none), parent
import type { LocationIndex, StackIndex, StringIndex } from '../../model/brand.ts'
import { NONE } from '../../model/brand.ts'
import type { ProfilesBuilder } from '../../model/builder.ts'
import { ValueKind } from '../../model/dictionary.ts'
import { GrowingInts } from '../../model/growing-columns.ts'
import { ATTRIBUTES } from '../../model/semantic-conventions.ts'
import { UnfoldLimit } from '../unfold-limit.ts'
import { ANONYMOUS, FRAME_TYPE, ROOT, V8_ATTRIBUTES } from './attribute-names.ts'
import { GrowingLongs } from './growing-longs.ts'

const STRIDE = 6

/** The frame that is being read; V8's old form has it in the node itself, the new one in `callFrame`. */
export interface CallFrame {
  name: StringIndex
  url: StringIndex
  script: StringIndex
  /** From 0, as V8 counts; -1 is none. */
  line: number
  column: number
}

export class NodeTable {
  readonly #builder: ProfilesBuilder
  readonly #columns = new GrowingInts()
  /** What each node holds itself. */
  readonly sizes = new GrowingLongs()
  readonly #rows = new Map<number, number>()
  readonly #hasChild = new Set<number>()
  #stacks = new Int32Array(0)
  #depths = new Int32Array(0)
  readonly #locations = new GrowingInts()
  readonly #unfold: UnfoldLimit
  readonly #root: StringIndex
  readonly #anonymous: StringIndex
  readonly #line = new Int32Array(5)
  readonly #attributes = new Int32Array(2)

  constructor(builder: ProfilesBuilder, inputBytes: number) {
    this.#builder = builder
    this.#unfold = new UnfoldLimit(inputBytes)
    this.#root = builder.string(ROOT)
    this.#anonymous = builder.string(ANONYMOUS)
  }

  get length(): number {
    return this.sizes.length
  }

  open(parent: number): number {
    const row = this.length
    const array = this.#columns.reserve(STRIDE)
    array.fill(0, row * STRIDE, row * STRIDE + STRIDE)
    array[row * STRIDE + 5] = parent
    this.#columns.length += STRIDE
    this.sizes.push(0n)
    if (parent !== NONE) this.#hasChild.add(parent)
    return row
  }

  setFrame(row: number, frame: CallFrame): void {
    const { array } = this.#columns
    const at = row * STRIDE
    array[at] = frame.name === 0 ? this.#anonymous : frame.name
    array[at + 1] = frame.url
    array[at + 2] = frame.script
    array[at + 3] = fromOne(frame.line)
    array[at + 4] = fromOne(frame.column)
  }

  /** False where another node has the id. */
  setId(row: number, id: number): boolean {
    if (this.#rows.has(id)) return false
    this.#rows.set(id, row)
    return true
  }

  rowOf(id: number): number {
    return this.#rows.get(id) ?? NONE
  }

  isLeaf(row: number): boolean {
    return !this.#hasChild.has(row)
  }

  /** Call it once all are read. */
  link(): void {
    this.#stacks = new Int32Array(this.length).fill(NONE)
    // A parent is always read before its children.
    this.#depths = new Int32Array(this.length)
    for (let row = 0; row < this.length; row++) {
      const parent = this.#parent(row)
      this.#depths[row] = parent === NONE ? 1 : this.#depths[parent] + 1
    }
  }

  /** Undefined where the stacks would take more memory than the file has any right to. */
  stack(row: number): StackIndex | undefined {
    if (this.#stacks[row] === NONE) {
      if (!this.#unfold.spend(this.#depths[row])) return undefined
      this.#stacks[row] = this.#stackOf(row, this.#isRoot(row) ? NONE : this.#location(row))
    }
    return this.#stacks[row] as StackIndex
  }

  #parent(row: number): number {
    return this.#columns.array[row * STRIDE + 5]
  }

  #isRoot(row: number): boolean {
    return this.#parent(row) === NONE && this.#columns.array[row * STRIDE] === this.#root
  }

  #stackOf(row: number, leaf: number): StackIndex {
    const { stacks } = this.#builder.dictionary
    // Locations first: they are interned too, and the room behind the stacks must stay untouched.
    for (let at = this.#parent(row); at !== NONE; at = this.#parent(at)) if (!this.#isRoot(at)) this.#location(at)
    const run = stacks.pool.reserve(this.#depths[row])
    let end = stacks.pool.length
    if (leaf !== NONE) run[end++] = leaf
    for (let at = this.#parent(row); at !== NONE; at = this.#parent(at)) {
      if (!this.#isRoot(at)) run[end++] = this.#locations.array[at]
    }
    return stacks.internTail(end - stacks.pool.length) as StackIndex
  }

  #location(row: number): LocationIndex {
    const known = this.#locations
    if (known.length < this.length) {
      known.reserve(this.length - known.length).fill(0, known.length, this.length)
      known.length = this.length
    }
    if (known.array[row] === 0) known.array[row] = this.#makeLocation(row)
    return known.array[row] as LocationIndex
  }

  #makeLocation(row: number): LocationIndex {
    const builder = this.#builder
    const { dictionary } = builder
    const [name, url, script, line, column] = this.#columns.array.subarray(row * STRIDE, row * STRIDE + STRIDE)
    const attributes = this.#attributes
    let count = 0
    attributes[count++] = builder.attribute(ATTRIBUTES.frameType, FRAME_TYPE)
    if (script !== 0) attributes[count++] = this.#text(V8_ATTRIBUTES.scriptId, script)
    const run = this.#line
    run[0] = dictionary.function(name as StringIndex, 0 as StringIndex, url as StringIndex, line, 0)
    run[1] = line
    run[3] = column
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

/** Lines beyond int32 are none of a source file. */
function fromOne(position: number): number {
  return position >= 0 && position < 0x7fff_fffe ? Math.floor(position) + 1 : 0
}
