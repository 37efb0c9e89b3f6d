// Stacks as nodes of one tree of calls, so that what two stacks have in common is there once.
import type { FrameTable, Profiles, StackIndex } from '@hearth/profile'

const NONE = -1

export class StackNodes {
  readonly #profiles: Profiles
  readonly #table: FrameTable
  /** By the stack's row; -2 where it was not looked at. */
  readonly #known: Int32Array
  readonly #parent: number[] = []
  readonly #frame: number[] = []
  readonly #children = new Map<number, number>()

  constructor(profiles: Profiles, table: FrameTable) {
    this.#profiles = profiles
    this.#table = table
    this.#known = new Int32Array(profiles.dictionary.stacks.length).fill(-2)
  }

  /** The node in which the stack ends; -1 where it has no frames. */
  of(stack: StackIndex): number {
    if (this.#known[stack] === -2) this.#known[stack] = this.#add(stack)
    return this.#known[stack]
  }

  columns(): { readonly parent: Int32Array; readonly frame: Uint32Array } {
    return { parent: Int32Array.from(this.#parent), frame: Uint32Array.from(this.#frame) }
  }

  #add(stack: StackIndex): number {
    const { stacks } = this.#profiles.dictionary
    const { end, frames } = this.#table
    let node = NONE
    // Stacks are leaf first, and so are the frames of a location.
    for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) {
      const location = stacks.locations.at(k)
      const first = location === 0 ? 0 : end[location - 1]
      for (let f = end[location] - 1; f >= first; f--) node = this.#child(node, frames[f])
    }
    return node
  }

  #child(parent: number, frame: number): number {
    const key = (parent + 1) * this.#table.length + frame
    let child = this.#children.get(key)
    if (child === undefined) {
      child = this.#parent.push(parent) - 1
      this.#frame.push(frame)
      this.#children.set(key, child)
    }
    return child
  }
}
