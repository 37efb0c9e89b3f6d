// Stacks as nodes of one tree of calls, so that what two stacks have in common is there once.
import type { FrameTable, Profiles, StackIndex } from '@hearth/profile'
import { PathTrie } from '../tree/path-trie.ts'
import { ROOT } from '../tree/tree.ts'

export class StackNodes {
  readonly #profiles: Profiles
  readonly #table: FrameTable
  /** By the stack's row; -2 where it was not looked at. */
  readonly #known: Int32Array
  readonly #nodes = new PathTrie()

  constructor(profiles: Profiles, table: FrameTable) {
    this.#profiles = profiles
    this.#table = table
    this.#known = new Int32Array(profiles.dictionary.stacks.length).fill(-2)
  }

  /** The node in which the stack ends; ROOT where it has no frames. */
  of(stack: StackIndex): number {
    if (this.#known[stack] === -2) this.#known[stack] = this.#add(stack)
    return this.#known[stack]
  }

  columns(): { readonly parent: Int32Array; readonly frame: Uint32Array } {
    const { length } = this.#nodes
    const parent = new Int32Array(length)
    const frame = new Uint32Array(length)
    for (let i = 0; i < length; i++) {
      parent[i] = this.#nodes.parent(i)
      frame[i] = this.#nodes.frame(i)
    }
    return { parent, frame }
  }

  #add(stack: StackIndex): number {
    const { stacks } = this.#profiles.dictionary
    const { end, frames } = this.#table
    let node = ROOT
    // Stacks are leaf first, and so are the frames of a location.
    for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) {
      const location = stacks.locations.at(k)
      const first = location === 0 ? 0 : end[location - 1]
      for (let f = end[location] - 1; f >= first; f--) node = this.#nodes.child(node, frames[f])
    }
    return node
  }
}
