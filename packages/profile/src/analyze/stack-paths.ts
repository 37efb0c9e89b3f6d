// Spells a stack out as frames: locations expanded to their frames, root first, in one buffer that is used again for the
// next stack. Where stacks have values of attributes at their root, those come first.
//
//   stack        locations 2, 1 (leaf first)
//   frames of    1: main        2: gc, run (leaf first)
//   path         main run gc
import type { StackIndex } from '../model/columns/brand.ts'
import type { FrameTable } from './frames.ts'
import { UNKNOWN_FRAME } from './frames.ts'
import type { RootedStacks } from './rooted-stacks.ts'

export class StackPaths {
  /** Root first; valid up to what `read` returned, until it is called again. */
  path = new Int32Array(256)
  readonly #frames: FrameTable
  readonly #rooted: RootedStacks | undefined

  constructor(frames: FrameTable, rooted?: RootedStacks) {
    this.#frames = frames
    this.#rooted = rooted
  }

  /**
   * Puts the stack, which is a row of the rooted ones where there are such, into `path` and returns its length, which is at
   * least 1: a stack without locations is unknown.
   */
  read(stack: number): number {
    const rooted = this.#rooted
    if (rooted === undefined) return this.#read(stack, 0)
    const { ints, depth } = rooted
    const at = stack * (depth + 1)
    if (depth > this.path.length) this.#grow(depth)
    for (let k = 0; k < depth; k++) this.path[k] = ints[at + 1 + k]
    return this.#read(ints[at], depth)
  }

  /** Behind the first `roots` frames of the path. */
  #read(stack: number, roots: number): number {
    const { end, frames, dictionary, collapses } = this.#frames
    const { stacks } = dictionary
    const { ints, base } = stacks.locations
    const from = base + stacks.from(stack as StackIndex)
    let length = roots
    for (let k = base + stacks.to(stack as StackIndex) - 1; k >= from; k--) {
      const location = ints[k]
      const first = location === 0 ? 0 : end[location - 1]
      if (length + end[location] - first > this.path.length) this.#grow(length + end[location] - first)
      const { path } = this
      for (let f = end[location] - 1; f >= first; f--) {
        if (collapses && length > 0 && path[length - 1] === frames[f]) continue
        path[length++] = frames[f]
      }
    }
    if (length === roots) {
      if (length === this.path.length) this.#grow(length + 1)
      this.path[length++] = UNKNOWN_FRAME
    }
    return length
  }

  /** Turns the first `length` frames round, for leaf-first trees. */
  reverse(length: number): void {
    const { path } = this
    for (let i = 0, j = length - 1; i < j; i++, j--) {
      const frame = path[i]
      path[i] = path[j]
      path[j] = frame
    }
  }

  #grow(need: number): void {
    const path = new Int32Array(need * 2)
    path.set(this.path)
    this.path = path
  }
}
