// Inverts trees. The roots of an inverted tree are the frames in which time was spent, their children are the callers.
import type { CallTree, TreeOrder } from '../tree/call-tree.ts'
import { ROOT } from '../tree/call-tree.ts'
import type { Weights } from '../tree/exact-values.ts'
import { withFrame } from '../tree/frame-table.ts'
import { FrameTrie } from '../tree/frame-trie.ts'
import type { MovedSide } from './rebuild.ts'
import { hiddenBelow, sidesOf, sumWithoutFrames, sumWithout, treeOfMoved } from './rebuild.ts'

/** The name of the frame above the stacks whose leaf is hidden. */
export const HIDDEN_NAME = '[hidden]'

/** The smallest share of the sum that is shown. Smaller boxes are narrower than a twentieth of a pixel. */
const MIN_SHARE = 1 / 32_768
/** Smaller trees are inverted completely, because they have few paths. */
const SMALL_TREE = 50_000

/**
 * Inverting twice gives the original tree, except for hidden nodes. In a large tree, callers of less than a 32,768th of the
 * sum are hidden: each of a million nodes starts a path of its own, and 30 million nodes do not fit into memory.
 */
export function invert(tree: CallTree, minShare: number = tree.length < SMALL_TREE ? 0 : MIN_SHARE): CallTree {
  const stacks = stacksOf(tree)
  const trie = new FrameTrie()
  const { nodes, complete, hidden } = insertReversed(tree, trie, stacks, minShare)
  const frames = stacks.isHidden.includes(1) ? withFrame(tree.frames, { name: HIDDEN_NAME }) : tree.frames
  // A stack whose callers are hidden counts into the total of its last node, but does not end there.
  const ends = nodes.map((node, k) => (complete[k] === 1 ? node : ROOT))
  const cut = nodes.map((node, k) => (complete[k] === 1 ? ROOT : node))
  const moved = sidesOf(tree).map((side, s): MovedSide => {
    const weights = stacks.weights[s]
    const above = hidden === 0 ? {} : { hidden: { nodes: cut, ...weights } }
    return {
      side: { nodes: ends, ...weights, ...above },
      sum: sumWithout(weights, () => false) + sumWithoutFrames(tree, side),
    }
  })
  const order: TreeOrder = tree.order === 'root-first' ? 'leaf-first' : 'root-first'
  return treeOfMoved(tree, trie, moved, { frames, order, hiddenNodes: hidden })
}

/** Stacks that end in a node, or in hidden nodes below it. */
interface Stacks {
  readonly node: Int32Array
  /** 1 for a stack that ends in hidden nodes. */
  readonly isHidden: Uint8Array
  /** The sum of the magnitudes of both sides. */
  readonly size: Float64Array
  /** The values of each side. */
  readonly weights: readonly Weights[]
}

function stacksOf(tree: CallTree): Stacks {
  const sides = sidesOf(tree)
  const own = sides.map((side): Weights => ({ weight: side.self, exact: side.selfExact }))
  const hidden = sides.map(side => hiddenBelow(tree, side))
  const node: number[] = []
  const isHidden: number[] = []
  for (let i = 0; i < tree.length; i++) {
    if (own.some(weights => isNonZero(weights, i))) {
      node.push(i)
      isHidden.push(0)
    }
    if (hidden.some(weights => weights !== undefined && isNonZero(weights, i))) {
      node.push(i)
      isHidden.push(1)
    }
  }
  const weights = sides.map((_, s): Weights => {
    const below = hidden[s]
    const pick =
      <T>(ofSelf: ArrayLike<T>, ofHidden: ArrayLike<T> | undefined, none: T) =>
      (_each: unknown, k: number): T =>
        isHidden[k] === 1 ? (ofHidden?.[node[k]] ?? none) : ofSelf[node[k]]
    const { weight, exact } = own[s]
    return {
      weight: Float64Array.from(node, pick(weight, below?.weight, 0)),
      exact: exact && BigInt64Array.from(node, pick(exact, below?.exact, 0n)),
    }
  })
  const size = new Float64Array(node.length)
  for (const { weight } of weights) for (let k = 0; k < size.length; k++) size[k] += Math.abs(weight[k])
  return { node: Int32Array.from(node), isHidden: Uint8Array.from(isHidden), size, weights }
}

function isNonZero({ weight, exact }: Weights, i: number): boolean {
  return weight[i] !== 0 || (exact !== undefined && exact[i] !== 0n)
}

/** The last node of each stack in the trie, and 1 for the stacks whose path is complete. */
interface Reversed {
  readonly nodes: Int32Array
  readonly complete: Uint8Array
  /** How many stacks were cut. */
  readonly hidden: number
}

/** Inserts level by level, so that the size of a node is known before anything is inserted below it. */
function insertReversed(tree: CallTree, trie: FrameTrie, stacks: Stacks, minShare: number): Reversed {
  const count = stacks.node.length
  const nodes = new Int32Array(count)
  const up = new Int32Array(count)
  const complete = new Uint8Array(count)
  const hiddenFrame = tree.frames.length
  let sum = 0
  for (let k = 0; k < count; k++) {
    sum += stacks.size[k]
    nodes[k] = stacks.isHidden[k] === 1 ? trie.child(ROOT, hiddenFrame) : ROOT
    up[k] = stacks.node[k]
  }
  const minSize = sum * minShare
  let hidden = 0
  let active = Int32Array.from({ length: count }, (_, k) => k)
  while (active.length > 0) {
    const before = trie.length
    for (const k of active) {
      nodes[k] = trie.child(nodes[k], tree.frame[up[k]])
      up[k] = tree.parent[up[k]]
      if (up[k] === ROOT) complete[k] = 1
    }
    const sizes = new Float64Array(trie.length - before)
    for (const k of active) sizes[nodes[k] - before] += stacks.size[k]
    const open = active.filter(k => complete[k] === 0)
    active = open.filter(k => sizes[nodes[k] - before] >= minSize)
    hidden += open.length - active.length
  }
  return { nodes, complete, hidden }
}
