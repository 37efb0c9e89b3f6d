// The frames of the resident dictionary under one grouping, and the trie of the stacks that queries have read.
import type { Grouping, LocationFrames, TreeOrder } from '@hearth/profile'
import { FrameTrie, GrowingInts, NONE, StackPaths, locationFrames } from '@hearth/profile'
import type { ResidentSymbols } from './resident-symbols.ts'

export class ResidentFrames {
  readonly #symbols: ResidentSymbols
  readonly #grouping: Grouping
  #frames: LocationFrames

  constructor(symbols: ResidentSymbols, grouping: Grouping) {
    this.#symbols = symbols
    this.#grouping = grouping
    this.#frames = locationFrames(symbols.dictionary, grouping)
  }

  /**
   * The current frames. Frames are numbered in the order of the locations, so the numbers stay the same when the dictionary
   * grows and the frames are computed again.
   */
  get current(): LocationFrames {
    if (this.#frames.end.length !== this.#symbols.dictionary.locations.length) {
      this.#frames = locationFrames(this.#symbols.dictionary, this.#grouping)
    }
    return this.#frames
  }
}

/** A trie that stays in memory, with the node of every stack that was inserted. */
export class StackNodes {
  readonly trie = new FrameTrie()
  readonly frames: ResidentFrames
  readonly #order: TreeOrder
  /** By the stack's number; NONE for stacks that are not in the trie. */
  readonly #nodes = new GrowingInts()

  constructor(frames: ResidentFrames, order: TreeOrder) {
    this.frames = frames
    this.#order = order
  }

  get byteLength(): number {
    return this.trie.byteLength + this.#nodes.array.byteLength
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
    const paths = new StackPaths(this.frames.current, stacks)
    for (let s = 0; s < stacks.length; s++) {
      if (known.array[stacks[s]] === NONE) known.array[stacks[s]] = paths.insert(this.trie, s, this.#order)
    }
  }
}
