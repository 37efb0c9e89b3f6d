// Reads stacks as paths of frames, root first, into one buffer that the next stack overwrites.
//
//   stack        locations 2, 1 (leaf first)
//   frames of    1: main        2: gc, run (leaf first)
//   path         main run gc
import type { StackIndex } from '../../model/columns/brand.ts'
import type { FrameTrie } from '../tree/frame-trie.ts'
import type { TreeOrder } from '../tree/call-tree.ts'
import type { LocationFrames } from './location-frames.ts'
import { UNKNOWN_FRAME } from './location-frames.ts'
import type { StackWeights } from './stack-weights.ts'

/** The frames at the root of a stack, outermost first, such as its thread. */
export type RootsOf = (s: number) => Int32Array

const NO_ROOTS = new Int32Array(0)

export class StackPaths {
  /** The current path, root first. Valid up to the length that `read` returned, until the next call. */
  path = new Int32Array(256)
  /** Rows of the dictionary's stacks. */
  readonly stacks: Int32Array
  readonly frames: LocationFrames
  readonly #roots: RootsOf | undefined
  readonly #locations: { readonly ints: Int32Array; readonly base: number }

  constructor(frames: LocationFrames, stacks: Int32Array, roots?: RootsOf) {
    this.frames = frames
    this.stacks = stacks
    this.#roots = roots
    const { ints, base } = frames.dictionary.stacks.locations
    this.#locations = { ints, base }
  }

  /** Puts stack `s` into `path` and returns its length. A stack without locations has the unknown frame. */
  read(s: number): number {
    const { end, frames, dictionary } = this.frames
    const { stacks } = dictionary
    const { ints, base } = this.#locations
    const stack = this.stacks[s] as StackIndex
    const from = base + stacks.from(stack)
    const roots = this.#roots === undefined ? NO_ROOTS : this.#roots(s)
    if (roots.length >= this.path.length) this.#grow(roots.length + 1)
    for (let k = 0; k < roots.length; k++) this.path[k] = roots[k]
    let { length } = roots
    for (let k = base + stacks.to(stack) - 1; k >= from; k--) {
      const location = ints[k]
      const first = location === 0 ? 0 : end[location - 1]
      if (length + end[location] - first > this.path.length) this.#grow(length + end[location] - first)
      const { path } = this
      for (let f = end[location] - 1; f >= first; f--) {
        if (length > 0 && path[length - 1] === frames[f] && this.frames.collapses(frames[f])) continue
        path[length++] = frames[f]
      }
    }
    if (length === roots.length) this.path[length++] = UNKNOWN_FRAME
    return length
  }

  /** Adds the path of stack `s` to the trie and returns the node in which it ends. */
  insert(trie: FrameTrie, s: number, order: TreeOrder): number {
    const length = this.read(s)
    if (order === 'leaf-first') this.reverse(length)
    return trie.insert(this.path, 0, length)
  }

  /** Adds the paths of all stacks to the trie and returns the nodes in which they end. */
  insertAll(trie: FrameTrie, order: TreeOrder): Int32Array {
    const nodes = new Int32Array(this.stacks.length)
    for (let s = 0; s < nodes.length; s++) nodes[s] = this.insert(trie, s, order)
    return nodes
  }

  /** Reverses the first `length` frames. */
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

/** The paths of summed stacks, with their root frames if they have any. */
export function stackPaths(frames: LocationFrames, { stacks, rooted }: StackWeights): StackPaths {
  if (rooted === undefined) return new StackPaths(frames, stacks)
  const { ints, depth } = rooted
  const rows = stacks.map(row => ints[row * (depth + 1)])
  return new StackPaths(frames, rows, s => {
    const at = stacks[s] * (depth + 1) + 1
    return ints.subarray(at, at + depth)
  })
}
