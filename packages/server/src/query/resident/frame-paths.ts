// Stacks spelled out as frames under one grouping, and the trie of those that queries have met.
import type { FrameTable, GroupBy, TreeOrder } from '@hearth/profile'
import { NONE, frameTable } from '@hearth/profile'
import { GrowingInts } from './growing-ints.ts'
import { PathTrie } from './path-trie.ts'
import type { ResidentSymbols } from './resident-symbols.ts'

export interface Grouping {
  readonly by: GroupBy
  /** Whether inlined calls are frames of their own. */
  readonly inlined: boolean
}

const UNKNOWN_FRAME = 0
const NO_FRAMES = new Int32Array(0)

/** The frames of the resident dictionary. */
export class FramePaths {
  readonly #symbols: ResidentSymbols
  readonly #grouping: Grouping
  #frames: FrameTable
  #path: Int32Array = new Int32Array(256)

  constructor(symbols: ResidentSymbols, grouping: Grouping) {
    this.#symbols = symbols
    this.#grouping = grouping
    this.#frames = framesOf(symbols, grouping)
  }

  /**
   * The table as of now. Frames are numbered in the order of the locations, so one that is made again after the dictionary
   * has grown has the same numbers for what was there before.
   */
  get frames(): FrameTable {
    if (this.#frames.end.length !== this.#symbols.dictionary.locations.length) {
      this.#frames = framesOf(this.#symbols, this.#grouping)
    }
    return this.#frames
  }

  /** Root first; valid up to what `read` returned, until it is called again. */
  get path(): Int32Array {
    return this.#path
  }

  /**
   * Puts a stack, behind the frames at its root, into `path` and returns its length, which is at least 1 and those. `frames`
   * is the table as of now.
   */
  read(stack: number, { end, frames, collapses }: FrameTable, roots: Int32Array = NO_FRAMES): number {
    const { stackEnds, stackLocations } = this.#symbols
    const from = stack === 0 ? 0 : stackEnds[stack - 1]
    let path: Int32Array = this.#path
    // Far less than there is room for.
    if (roots.length > 0) path.set(roots)
    let { length } = roots
    for (let k = stackEnds[stack] - 1; k >= from; k--) {
      const location = stackLocations[k]
      const first = location === 0 ? 0 : end[location - 1]
      if (length + end[location] - first > path.length) path = this.#grow(length + end[location] - first)
      for (let f = end[location] - 1; f >= first; f--) {
        if (collapses && length > 0 && path[length - 1] === frames[f]) continue
        path[length++] = frames[f]
      }
    }
    if (length === roots.length) path[length++] = UNKNOWN_FRAME
    return length
  }

  reverse(length: number): void {
    this.#path.subarray(0, length).reverse()
  }

  #grow(need: number): Int32Array {
    const path = new Int32Array(need * 2)
    path.set(this.#path)
    return (this.#path = path)
  }
}

function framesOf(symbols: ResidentSymbols, { by, inlined }: Grouping): FrameTable {
  return frameTable(symbols.dictionary, { by, inlined })
}

/** A trie with what it takes to lay trees out of it. */
export class StackTree {
  readonly trie = new PathTrie()
  #scratch = new Int32Array(0)
  #totals = new Float64Array(0)

  /** A number for every node of the trie, all -1 whenever nobody is at it. */
  get scratch(): Int32Array {
    if (this.#scratch.length < this.trie.length) {
      this.#scratch = new Int32Array(Math.ceil(this.trie.length * 1.25)).fill(NONE)
    }
    return this.#scratch
  }

  /** Another number for every node, of which nothing is known. */
  get totals(): Float64Array {
    if (this.#totals.length < this.trie.length) this.#totals = new Float64Array(Math.ceil(this.trie.length * 1.25))
    return this.#totals
  }

  get byteLength(): number {
    return this.trie.byteLength + this.#scratch.byteLength + this.#totals.byteLength
  }
}

/** A trie of stacks with frames at their roots, which no other query has: it is made anew for each. */
export class RootedNodes extends StackTree {
  readonly #paths: FramePaths
  readonly #frames: FrameTable
  readonly #order: TreeOrder

  constructor(paths: FramePaths, frames: FrameTable, order: TreeOrder) {
    super()
    this.#paths = paths
    this.#frames = frames
    this.#order = order
  }

  /** The node in which each of the stacks ends; `roots` has the frames at the root of each. */
  of(stacks: Int32Array, roots: (s: number) => Int32Array): Int32Array {
    const nodes = new Int32Array(stacks.length)
    for (let s = 0; s < stacks.length; s++) {
      const length = this.#paths.read(stacks[s], this.#frames, roots(s))
      if (this.#order === 'leaf-first') this.#paths.reverse(length)
      nodes[s] = this.trie.insert(this.#paths.path, 0, length)
    }
    return nodes
  }
}

/** The nodes of stacks in a trie that stays, each found once. */
export class StackNodes extends StackTree {
  readonly paths: FramePaths
  readonly #order: TreeOrder
  /** By the stack's number. */
  readonly #nodes = new GrowingInts()

  constructor(paths: FramePaths, order: TreeOrder) {
    super()
    this.paths = paths
    this.#order = order
  }

  override get byteLength(): number {
    return super.byteLength + this.#nodes.array.byteLength
  }

  /** The node in which each of the stacks ends. */
  of(stacks: Int32Array): Int32Array {
    this.#insert(stacks)
    const nodes = new Int32Array(stacks.length)
    const { array } = this.#nodes
    for (let s = 0; s < stacks.length; s++) nodes[s] = array[stacks[s]]
    return nodes
  }

  #insert(stacks: Int32Array): void {
    const known = this.#nodes
    let highest = -1
    for (let s = 0; s < stacks.length; s++) if (stacks[s] > highest) highest = stacks[s]
    if (highest >= known.length) {
      known.reserve(highest + 1 - known.length)
      known.array.fill(NONE, known.length, highest + 1)
      known.length = highest + 1
    }
    const { frames } = this.paths
    for (let s = 0; s < stacks.length; s++) {
      const stack = stacks[s]
      if (known.array[stack] !== NONE) continue
      const length = this.paths.read(stack, frames)
      if (this.#order === 'leaf-first') this.paths.reverse(length)
      known.array[stack] = this.trie.insert(this.paths.path, 0, length)
    }
  }
}
