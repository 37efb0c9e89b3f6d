// Makes a tree out of another one: says for each node where what ends in it goes, and sums up. All transforms and views
// of a tree are this with different rules.
import { exactTotal } from '@hearth/profile'
import type { SiblingOrder, Sums } from './build-tree.ts'
import { buildTree } from './build-tree.ts'
import type { Frames } from './frames.ts'
import { PathTrie } from './path-trie.ts'
import type { Tree, TreeSide } from './tree.ts'
import { ROOT } from './tree.ts'

/** The stacks that end in a node are left out. */
export const OUTSIDE = -2

/**
 * Where a node of the old tree goes, given where its parent went (ROOT for roots, whatever the rule): a node of the trie,
 * ROOT where all frames of the path are gone, or OUTSIDE. A node below an OUTSIDE one is asked for as well.
 */
export type Rule = (node: number, above: number, trie: PathTrie) => number

export interface RebuildOptions {
  /** In place of the tree's own. */
  readonly frames?: Frames
  /** Whether stacks without any frame stay; true unless given. */
  readonly keepEmpty?: boolean
  /** What roots are told their parent is; ROOT unless given. */
  readonly above?: number
  readonly siblings?: SiblingOrder
}

export function rebuild(tree: Tree, rule: Rule, options: RebuildOptions = {}): Tree {
  const { frames = tree.frames, keepEmpty = true, above = ROOT, siblings = 'value' } = options
  const trie = new PathTrie(tree.length)
  const to = new Int32Array(tree.length)
  for (let i = 0; i < tree.length; i++) {
    const parent = tree.parent[i]
    to[i] = rule(i, parent === ROOT ? above : to[parent], trie)
  }
  const move = (side: TreeSide): Sums => {
    const rest = restOf(tree, side)
    const sums = new Mover(trie.length, side.selfExact !== undefined, rest !== undefined)
    for (let i = 0; i < tree.length; i++) {
      if (to[i] === OUTSIDE) continue
      sums.addSelf(to[i], side.self[i], side.selfExact?.[i])
      if (rest !== undefined) sums.addRest(to[i], rest.near[i], rest.exact?.[i])
    }
    if (keepEmpty) sums.addEmpty(emptyOf(tree, side))
    return sums.done(side)
  }
  const parts = { ...tree, frames, after: move(tree), before: tree.before && move(tree.before) }
  return buildTree(trie, parts, siblings)
}

/** What a side has in nodes that were left out, by the node below which they were; undefined where there are none. */
export function restOf(
  tree: Tree,
  side: TreeSide,
): { near: Float64Array; exact: BigInt64Array | undefined } | undefined {
  const near = new Float64Array(tree.length)
  for (let i = tree.length - 1; i >= 0; i--) {
    near[i] += side.total[i] - side.self[i]
    if (tree.parent[i] !== ROOT) near[tree.parent[i]] -= side.total[i]
  }
  const { selfExact, totalExact } = side
  if (selfExact === undefined || totalExact === undefined) {
    for (let i = 0; i < near.length; i++) if (isDust(near[i], side.total[i])) near[i] = 0
    return near.some(value => value !== 0) ? { near, exact: undefined } : undefined
  }
  const exact = new BigInt64Array(tree.length)
  for (let i = tree.length - 1; i >= 0; i--) {
    exact[i] += totalExact[i] - selfExact[i]
    if (tree.parent[i] !== ROOT) exact[tree.parent[i]] -= totalExact[i]
  }
  return exact.some(value => value !== 0n) ? { near, exact } : undefined
}

/** What a side has in stacks without any frame. */
export function emptyOf(tree: Tree, side: TreeSide): bigint {
  if (side.totalExact === undefined) {
    let near = Number(side.sum)
    for (let i = 0; i < tree.length; i = tree.end[i]) near -= side.total[i]
    return isDust(near, Number(side.sum)) ? 0n : BigInt(Math.round(near))
  }
  let rest = side.sum
  for (let i = 0; i < tree.length; i = tree.end[i]) rest -= exactTotal(side, i)
  return rest
}

/** Scaled values are not whole, and their sums leave a dust behind that is nobody's. */
function isDust(value: number, of: number): boolean {
  return !Number.isInteger(value) && Math.abs(value) <= Math.max(0.5, 1e-9 * Math.abs(of))
}

/** Sums in the making, a row per node of a trie. */
export class Mover {
  readonly #self: Float64Array
  readonly #selfExact: BigInt64Array | undefined
  readonly #rest: Float64Array | undefined
  readonly #restExact: BigInt64Array | undefined
  #near = 0
  #sum = 0n
  #empty = 0n

  constructor(length: number, exact: boolean, rest: boolean) {
    this.#self = new Float64Array(length)
    this.#selfExact = exact ? new BigInt64Array(length) : undefined
    this.#rest = rest ? new Float64Array(length) : undefined
    this.#restExact = rest && exact ? new BigInt64Array(length) : undefined
  }

  addSelf(to: number, near: number, exact: bigint | undefined): void {
    this.#add(near, exact)
    if (to === ROOT) return
    this.#self[to] += near
    if (this.#selfExact !== undefined && exact !== undefined) this.#selfExact[to] += exact
  }

  addRest(to: number, near: number, exact: bigint | undefined): void {
    this.#add(near, exact)
    if (to === ROOT || this.#rest === undefined) return
    this.#rest[to] += near
    if (this.#restExact !== undefined && exact !== undefined) this.#restExact[to] += exact
  }

  /** Of stacks without any frame. */
  addEmpty(value: bigint): void {
    this.#empty += value
  }

  #add(near: number, exact: bigint | undefined): void {
    this.#near += near
    if (exact !== undefined) this.#sum += exact
  }

  done(side: TreeSide): Sums {
    // Exact columns hold remainders where a sum left 64 bits; the doubles tell how many turns those are short of.
    const turns = side.selfExact === undefined ? 0 : Math.round((this.#near - Number(this.#sum)) / 2 ** 64)
    const whole = side.selfExact === undefined ? BigInt(Math.round(this.#near)) : BigInt(turns) * 2n ** 64n
    return {
      self: this.#self,
      selfExact: this.#selfExact,
      rest: this.#rest,
      restExact: this.#restExact,
      sum: this.#sum + whole + this.#empty,
    }
  }
}
