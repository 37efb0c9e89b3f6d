// The wire shape of trees, in JSON and in binary columns: parents, frames and values. Depth and end follow from the parents,
// because nodes are in depth-first order, and are computed here.
import type { CallTree, TreeOrder, TreeSide } from './call-tree.ts'
import { ROOT } from './call-tree.ts'
import type { ValueColumns } from './exact-values.ts'
import { EXACT_LIMIT } from './exact-values.ts'
import type { FrameRow, FrameTable } from './frame-table.ts'
import { framesOfRows } from './frame-table.ts'

/** The shape of a tree in binary columns. */
export interface ShapeColumns {
  /** Depth first, -1 for roots. */
  readonly parent: Int32Array
  /** Row in the frames. */
  readonly frame: Uint32Array
  /** The number of children of each node that the node limit hid. */
  readonly hiddenChildren: Uint32Array
}

/** The nodes of a tree in JSON. 64-bit numbers are decimal strings. */
interface TreeNodesJson {
  readonly parent: readonly number[]
  readonly frame: readonly number[]
  readonly hiddenChildren: readonly number[]
  readonly self: readonly string[]
  readonly total: readonly string[]
}

export interface FlameGraphJson {
  readonly order: TreeOrder
  readonly unit: string
  readonly sum: string
  readonly hidden: { readonly nodes: number }
  readonly frames: readonly FrameRow[]
  readonly nodes: TreeNodesJson
}

export interface DiffSideJson {
  readonly unit: string
  /** Not scaled. */
  readonly sum: string
  readonly hidden: { readonly nodes: number }
  readonly self: readonly string[]
  readonly total: readonly string[]
}

export interface DiffJson {
  readonly order: TreeOrder
  readonly scale: number
  readonly before: DiffSideJson
  readonly after: DiffSideJson
  readonly frames: readonly FrameRow[]
  readonly nodes: Pick<TreeNodesJson, 'parent' | 'frame' | 'hiddenChildren'>
}

export interface TreeColumns {
  readonly parent: ArrayLike<number>
  readonly frame: ArrayLike<number>
  readonly hiddenChildren?: ArrayLike<number>
  readonly frames: FrameTable
  readonly order: TreeOrder
  readonly unit: string
  readonly after: TreeSide
  readonly before?: TreeSide
  readonly hiddenNodes?: number
}

/** Throws RangeError if the columns are not a tree in depth-first order. */
export function treeOfColumns(columns: TreeColumns): CallTree {
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
  // The last node of each depth.
  const open = new Int32Array(length)
  for (let i = 0; i < length; i++) {
    const above = parent[i]
    if (above < ROOT || above >= i) throw new RangeError(`node ${i} comes before its parent`)
    if (frame[i] >= frames.length)
      throw new RangeError(`node ${i} has frame ${frame[i]}, but there are ${frames.length} frames`)
    depth[i] = above === ROOT ? 0 : depth[above] + 1
    // In depth-first order, a parent is the previous node or one of its ancestors.
    if (depth[i] > 0 && open[depth[i] - 1] !== above) throw new RangeError(`node ${i} is not in depth-first order`)
    open[depth[i]] = i
  }
  for (let i = length - 1; i >= 0; i--) {
    if (end[i] === 0) end[i] = i + 1
    if (parent[i] !== ROOT && end[parent[i]] < end[i]) end[parent[i]] = end[i]
  }
  const hiddenChildren =
    columns.hiddenChildren === undefined || hiddenNodes === 0
      ? {}
      : { hiddenChildren: Uint32Array.from(columns.hiddenChildren) }
  return { length, parent, end, depth, frame, frames, order, unit, ...after, before, hiddenNodes, ...hiddenChildren }
}

export function treeOfFlameGraphJson(json: FlameGraphJson): CallTree {
  const { nodes, order, unit, sum, hidden } = json
  return treeOfColumns({
    ...nodes,
    frames: framesOfRows(json.frames),
    order,
    unit,
    after: { ...valuesOfJson(nodes), sum: BigInt(sum) },
    hiddenNodes: hidden.nodes,
  })
}

export function treeOfDiffJson(json: DiffJson): CallTree {
  const { nodes, order, before, after, scale } = json
  return treeOfColumns({
    ...nodes,
    frames: framesOfRows(json.frames),
    order,
    ...diffParts(before, after),
    after: { ...valuesOfJson(after), sum: BigInt(after.sum) },
    before: { ...valuesOfJson(before), sum: scaledSum(BigInt(before.sum), scale) },
  })
}

/** The fields of a diff's tree that follow from its sides. */
export function diffParts(
  before: Pick<DiffSideJson, 'unit' | 'hidden'>,
  after: Pick<DiffSideJson, 'unit' | 'hidden'>,
): Pick<TreeColumns, 'unit' | 'hiddenNodes'> {
  return {
    unit: after.unit === '' ? before.unit : after.unit,
    hiddenNodes: Math.max(before.hidden.nodes, after.hidden.nodes),
  }
}

/** The sum of a baseline whose values were scaled. */
export function scaledSum(sum: bigint, scale: number): bigint {
  return scale === 1 ? sum : BigInt(Math.round(Number(sum) * scale))
}

/** Decimal strings as doubles, with exact columns if a double cannot hold them. */
function valuesOfJson({ self, total }: Pick<TreeNodesJson, 'self' | 'total'>): ValueColumns {
  const near = { self: Float64Array.from(self, Number), total: Float64Array.from(total, Number) }
  if (isExact(near.self) && isExact(near.total)) return { ...near, selfExact: undefined, totalExact: undefined }
  return { ...near, selfExact: exactColumn(self), totalExact: exactColumn(total) }
}

/** Whether doubles hold all values exactly, or the values are scaled and have no exact column. */
function isExact(values: Float64Array): boolean {
  let magnitude = 0
  for (const value of values) {
    if (!Number.isInteger(value)) return true
    magnitude = Math.max(magnitude, Math.abs(value))
  }
  return magnitude <= EXACT_LIMIT
}

function exactColumn(values: readonly string[]): BigInt64Array {
  return BigInt64Array.from(values, value => BigInt.asIntN(64, BigInt(value)))
}
