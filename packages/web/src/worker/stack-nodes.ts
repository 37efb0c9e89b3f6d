// Stacks as nodes of one call tree, so common parts of stacks are stored once.
import type { LocationFrames, Profiles, StackIndex } from '@hearth/profile'
import { FrameTrie, ROOT } from '@hearth/profile'

export class StackNodes {
  readonly #profiles: Profiles
  readonly #table: LocationFrames
  /** By row of the stack; -2 if it is not known yet. */
  readonly #known: Int32Array
  readonly #nodes = new FrameTrie()

  constructor(profiles: Profiles, table: LocationFrames) {
    this.#profiles = profiles
    this.#table = table
    this.#known = new Int32Array(profiles.dictionary.stacks.length).fill(-2)
  }

  /** The node of the innermost frame; ROOT for a stack without frames. */
  of(stack: StackIndex): number {
    if (this.#known[stack] === -2) this.#known[stack] = this.#add(stack)
    return this.#known[stack]
  }

  /** The frame of a node; -1 for ROOT. */
  leaf(node: number): number {
    return node === ROOT ? -1 : this.#nodes.frames.array[node]
  }

  columns(): { readonly parent: Int32Array; readonly frame: Uint32Array } {
    const { parents, frames } = this.#nodes
    return { parent: parents.view().slice(), frame: Uint32Array.from(frames.view()) }
  }

  #add(stack: StackIndex): number {
    const { stacks } = this.#profiles.dictionary
    const { end, frames } = this.#table
    let node = ROOT
    // Stacks and the frames of a location are stored leaf first.
    for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) {
      const location = stacks.locations.at(k)
      const first = location === 0 ? 0 : end[location - 1]
      for (let f = end[location] - 1; f >= first; f--) node = this.#nodes.child(node, frames[f])
    }
    return node
  }
}
