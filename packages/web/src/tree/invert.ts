// Trees that are read from the other end: inverted, so that roots are where time was spent, and the callers of one function.
import type { TreeOrder } from '@hearth/profile'
import type { Sums } from './build-tree.ts'
import { buildTree } from './build-tree.ts'
import { withFrame } from './frames.ts'
import { PathTrie } from './path-trie.ts'
import { Mover, OUTSIDE, emptyOf, rebuild, restOf } from './rebuild.ts'
import type { FrameSet } from './transform.ts'
import { focusing } from './transform.ts'
import type { Tree, TreeSide } from './tree.ts'
import { ROOT } from './tree.ts'

/** The name of the frame under which stand the stacks whose leaf was left out. */
export const HIDDEN_NAME = '[left out]'

/** Of the sum: what is less is narrower than a twentieth of a pixel. */
const SMALLEST = 1 / 32_768
/** Smaller trees are inverted whole: they have few paths. */
const SMALL_TREE = 50_000

/**
 * Back to where it was when done twice, except for what was left out. Callers of what is below a 32,768th of a large tree's
 * sum are left out: every node of a million is the beginning of a path of its own, and 30 million nodes fit nowhere.
 */
export function invert(tree: Tree, smallest: number = tree.length < SMALL_TREE ? 0 : SMALLEST): Tree {
  const sides = tree.before === undefined ? [tree] : [tree, tree.before]
  const stacks = stacksOf(tree, sides)
  const trie = new PathTrie(tree.length)
  const { ends, whole } = insertReversed(tree, trie, stacks, smallest)
  const frames = stacks.hasRest ? withFrame(tree.frames, { name: HIDDEN_NAME }) : tree.frames
  const move = (side: TreeSide, s: number): Sums => {
    const sums = new Mover(trie.length, side.selfExact !== undefined, !ends.complete)
    for (let k = 0; k < stacks.node.length; k++) {
      const i = stacks.node[k]
      const values = stacks.isRest[k] === 1 ? stacks.rests[s] : { near: side.self, exact: side.selfExact }
      if (values === undefined) continue
      if (whole[k] === 1) sums.addSelf(ends.at[k], values.near[i], values.exact?.[i])
      else sums.addRest(ends.at[k], values.near[i], values.exact?.[i])
    }
    sums.addEmpty(emptyOf(tree, side))
    return sums.done(side)
  }
  const [after, before] = sides.map(move)
  const order: TreeOrder = tree.order === 'root-first' ? 'leaf-first' : 'root-first'
  return buildTree(trie, { ...tree, frames, order, after, before, hiddenNodes: tree.hiddenNodes + ends.hidden })
}

/** What ends in a node, or below it in nodes that were left out. */
interface Stacks {
  readonly node: Int32Array
  readonly isRest: Uint8Array
  readonly weight: Float64Array
  readonly rests: readonly ReturnType<typeof restOf>[]
  readonly hasRest: boolean
}

function stacksOf(tree: Tree, sides: readonly TreeSide[]): Stacks {
  const rests = sides.map(side => restOf(tree, side))
  const node: number[] = []
  const isRest: number[] = []
  const weight: number[] = []
  for (let i = 0; i < tree.length; i++) {
    if (sides.some(side => holds(side.self, side.selfExact, i))) {
      node.push(i)
      isRest.push(0)
      weight.push(sides.reduce((sum, side) => sum + Math.abs(side.self[i]), 0))
    }
    if (rests.some(rest => rest !== undefined && holds(rest.near, rest.exact, i))) {
      node.push(i)
      isRest.push(1)
      weight.push(rests.reduce((sum, rest) => sum + Math.abs(rest?.near[i] ?? 0), 0))
    }
  }
  return {
    node: Int32Array.from(node),
    isRest: Uint8Array.from(isRest),
    weight: Float64Array.from(weight),
    rests,
    hasRest: rests.some(rest => rest !== undefined),
  }
}

/** Level by level, so that what a node weighs is known before anything is put below it. */
function insertReversed(
  tree: Tree,
  trie: PathTrie,
  stacks: Stacks,
  smallest: number,
): { ends: { at: Int32Array; complete: boolean; hidden: number }; whole: Uint8Array } {
  const count = stacks.node.length
  const at = new Int32Array(count)
  const up = new Int32Array(count)
  const whole = new Uint8Array(count)
  const hiddenFrame = tree.frames.length
  let sum = 0
  for (let k = 0; k < count; k++) {
    sum += stacks.weight[k]
    at[k] = stacks.isRest[k] === 1 ? trie.child(ROOT, hiddenFrame) : ROOT
    up[k] = stacks.node[k]
  }
  const least = sum * smallest
  let hidden = 0
  let active = Int32Array.from({ length: count }, (_, k) => k)
  while (active.length > 0) {
    const before = trie.length
    for (const k of active) {
      at[k] = trie.child(at[k], tree.frame[up[k]])
      up[k] = tree.parent[up[k]]
      if (up[k] === ROOT) whole[k] = 1
    }
    const weights = new Float64Array(trie.length - before)
    for (const k of active) weights[at[k] - before] += stacks.weight[k]
    const cut = active.filter(k => whole[k] === 0 && weights[at[k] - before] < least)
    hidden += cut.length
    active = active.filter(k => whole[k] === 0 && weights[at[k] - before] >= least)
  }
  return { ends: { at, complete: hidden === 0, hidden }, whole }
}

function holds(near: Float64Array, exact: BigInt64Array | undefined, i: number): boolean {
  return near[i] !== 0 || (exact !== undefined && exact[i] !== 0n)
}

/** Adds the frames from a node to the root below a node of the trie; returns where they end. */
function insertUp(tree: Tree, trie: PathTrie, node: number, below: number): number {
  let at = below
  for (let i = node; i !== ROOT; i = tree.parent[i]) at = trie.child(at, tree.frame[i])
  return at
}

/** What the functions call: stacks from their first call on. */
export function calleesOf(tree: Tree, set: FrameSet): Tree {
  return rebuild(tree, focusing(tree, set), { above: OUTSIDE, keepEmpty: false })
}

/** Who calls the functions, of a tree root first: the stacks from their first call up, with all that they took. */
export function callersOf(tree: Tree, set: FrameSet): Tree {
  const trie = new PathTrie()
  const to = new Int32Array(tree.length).fill(OUTSIDE)
  for (let i = 0; i < tree.length;) {
    if (set[tree.frame[i]] === 0) {
      i++
      continue
    }
    to[i] = insertUp(tree, trie, i, ROOT)
    i = tree.end[i]
  }
  const move = (side: TreeSide): Sums => {
    const sums = new Mover(trie.length, side.totalExact !== undefined, false)
    for (let i = 0; i < tree.length; i++) {
      if (to[i] !== OUTSIDE) sums.addSelf(to[i], side.total[i], side.totalExact?.[i])
    }
    return sums.done(side)
  }
  return buildTree(trie, { ...tree, order: 'leaf-first', after: move(tree), before: tree.before && move(tree.before) })
}
