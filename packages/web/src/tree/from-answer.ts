// Trees from the server's answers, which have lists of numbers and of digits; the columns that the answers leave out (depth,
// where subtrees end) are made here. Answers in binary columns take the same road through treeOfColumns.
import type { DiffResponse, FlameGraphResponse, SandwichTree } from '@hearth/client'
import type { TreeOrder, ValueColumns } from '@hearth/profile'
import type { Frames } from './frames.ts'
import { framesOfRows } from './frames.ts'
import type { Tree, TreeSide } from './tree.ts'
import { ROOT } from './tree.ts'

export interface PlainColumns {
  /** Depth first, -1 for roots. */
  readonly parent: ArrayLike<number>
  readonly frame: ArrayLike<number>
  readonly frames: Frames
  readonly order: TreeOrder
  readonly unit: string
  readonly after: TreeSide
  readonly before?: TreeSide
  readonly hiddenNodes?: number
}

/** Throws RangeError where the columns are not a tree in depth-first order. */
export function treeOfColumns(columns: PlainColumns): Tree {
  const { frames, order, unit, after, before, hiddenNodes = 0 } = columns
  const { length } = columns.parent
  const parent = Int32Array.from(columns.parent)
  const frame = Uint32Array.from(columns.frame)
  for (const side of before === undefined ? [after] : [after, before]) {
    if (side.self.length !== length || side.total.length !== length || frame.length !== length) {
      throw new RangeError('the columns of the tree differ in length')
    }
  }
  const depth = new Uint32Array(length)
  const end = new Uint32Array(length)
  /** The last node of each depth. */
  const open = new Int32Array(length)
  for (let i = 0; i < length; i++) {
    const above = parent[i]
    if (above < ROOT || above >= i) throw new RangeError(`node ${i} comes before its parent`)
    if (frame[i] >= frames.length) throw new RangeError(`node ${i} has a frame that does not exist`)
    depth[i] = above === ROOT ? 0 : depth[above] + 1
    // Depth first: a parent is the node before, or one of that one's own parents.
    if (depth[i] > 0 && open[depth[i] - 1] !== above) throw new RangeError(`node ${i} is not in depth-first order`)
    open[depth[i]] = i
  }
  for (let i = length - 1; i >= 0; i--) {
    if (end[i] === 0) end[i] = i + 1
    if (parent[i] !== ROOT && end[parent[i]] < end[i]) end[parent[i]] = end[i]
  }
  return { length, parent, end, depth, frame, frames, order, unit, ...after, before, hiddenNodes }
}

export function treeOfFlameGraph(answer: FlameGraphResponse): Tree {
  const { nodes, order, unit, hidden } = answer
  return treeOfColumns({
    parent: nodes.parent,
    frame: nodes.frame,
    frames: framesOfRows(answer.frames),
    order,
    unit,
    after: sideOf(nodes.self, nodes.total, BigInt(answer.sum)),
    hiddenNodes: hidden.nodes,
  })
}

/** `sum` is of the stacks that hold the frame. */
export function treeOfSandwich(tree: SandwichTree, order: TreeOrder, unit: string, sum: string): Tree {
  const { nodes, hidden } = tree
  return treeOfColumns({
    parent: nodes.parent,
    frame: nodes.frame,
    frames: framesOfRows(tree.frames),
    order,
    unit,
    after: sideOf(nodes.self, nodes.total, BigInt(sum)),
    hiddenNodes: hidden.nodes,
  })
}

export function treeOfDiff(answer: DiffResponse): Tree {
  const { nodes, order, before, after, scale } = answer
  // The sum comes as it was found, the values of the nodes scaled.
  const sumBefore = scale === 1 ? BigInt(before.sum) : BigInt(Math.round(Number(before.sum) * scale))
  return treeOfColumns({
    parent: nodes.parent,
    frame: nodes.frame,
    frames: framesOfRows(answer.frames),
    order,
    unit: after.unit === '' ? before.unit : after.unit,
    after: sideOf(after.self, after.total, BigInt(after.sum)),
    before: sideOf(before.self, before.total, sumBefore),
    hiddenNodes: Math.max(before.hidden.nodes, after.hidden.nodes),
  })
}

function sideOf(self: readonly string[], total: readonly string[], sum: bigint): TreeSide {
  return { ...valuesOf(self, total), sum }
}

/** Digits as doubles, with an exact column beside where a double cannot hold them. */
function valuesOf(self: readonly string[], total: readonly string[]): ValueColumns {
  const near = { self: Float64Array.from(self, Number), total: Float64Array.from(total, Number) }
  if (isSafe(near.self) && isSafe(near.total)) return { ...near, selfExact: undefined, totalExact: undefined }
  return { ...near, selfExact: exactly(self), totalExact: exactly(total) }
}

/** Whether every sum of the values is exact in doubles: they are that small, or not whole in the first place. */
function isSafe(values: Float64Array): boolean {
  let magnitude = 0
  for (const value of values) {
    if (!Number.isInteger(value)) return true
    magnitude = Math.max(magnitude, Math.abs(value))
  }
  return magnitude <= Number.MAX_SAFE_INTEGER
}

function exactly(values: readonly string[]): BigInt64Array {
  return BigInt64Array.from(values, value => BigInt.asIntN(64, BigInt(value)))
}
