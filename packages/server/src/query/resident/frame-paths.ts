// Stacks spelled out as frames under one grouping, and the trie of those that questions have met.
import type { FrameTable, GroupBy, StackIndex, TreeOrder } from '@hearth/profile'
import { NONE, callTree } from '@hearth/profile'
import { GrowingInts } from './growing-ints.ts'
import { PathTrie } from './path-trie.ts'
import type { ResidentSymbols } from './resident-symbols.ts'

export interface Grouping {
  readonly by: GroupBy
  /** Whether inlined calls are frames of their own. */
  readonly inlined: boolean
}

const UNKNOWN_FRAME = 0

/** The frames of the resident dictionary. */
export class FramePaths {
  readonly #symbols: ResidentSymbols
  readonly #grouping: Grouping
  #frames: FrameTable
  #path = new Int32Array(256)

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

  /** Puts a stack into `path` and returns its length, which is at least 1. `frames` is the table as of now. */
  read(stack: number, { end, frames, collapses }: FrameTable): number {
    const { stacks } = this.#symbols.dictionary
    const { ints } = stacks.locations
    const from = stacks.from(stack as StackIndex)
    let length = 0
    for (let k = stacks.to(stack as StackIndex) - 1; k >= from; k--) {
      const location = ints[k]
      const first = location === 0 ? 0 : end[location - 1]
      if (length + end[location] - first > this.#path.length) this.#grow(length + end[location] - first)
      const path = this.#path
      for (let f = end[location] - 1; f >= first; f--) {
        if (collapses && length > 0 && path[length - 1] === frames[f]) continue
        path[length++] = frames[f]
      }
    }
    if (length === 0) this.#path[length++] = UNKNOWN_FRAME
    return length
  }

  reverse(length: number): void {
    this.#path.subarray(0, length).reverse()
  }

  #grow(need: number): void {
    const path = new Int32Array(need * 2)
    path.set(this.#path)
    this.#path = path
  }
}

function framesOf(symbols: ResidentSymbols, { by, inlined }: Grouping): FrameTable {
  return callTree(symbols.profiles, [], { by, inlined }).frames
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
    const { frames } = this.paths
    const nodes = new Int32Array(stacks.length)
    const known = this.#nodes
    for (let s = 0; s < stacks.length; s++) {
      const stack = stacks[s]
      while (known.length <= stack) known.push(NONE)
      let node = known.array[stack]
      if (node === NONE) {
        const length = this.paths.read(stack, frames)
        if (this.#order === 'leaf-first') this.paths.reverse(length)
        node = known.array[stack] = this.trie.insert(this.paths.path, 0, length)
      }
      nodes[s] = node
    }
    return nodes
  }
}
