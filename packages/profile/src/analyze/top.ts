// The frames of a profile or a tree with their self and total values.
//
//   samples   3 main run gc          name    self   total
//             2 main run             gc         3       3
//             1 main idle            run        2       5
//                                    idle       1       1
//                                    main       0       6
//
// Self counts stacks with the frame at their leaf. Total counts stacks with the frame anywhere, each once even if the frame
// recurs. So selves sum up to the total of the profile, and no total exceeds it as long as values are not negative.
import type { Profiles } from '../model/columns/profiles.ts'
import { firstRows } from './first-rows.ts'
import type { FrameOptions } from './profile-tree.ts'
import { sumStacks } from './profile-tree.ts'
import type { LocationFrames } from './stacks/location-frames.ts'
import type { StackPaths } from './stacks/stack-paths.ts'
import { stackPaths } from './stacks/stack-paths.ts'
import type { ProfileSelection } from './stacks/stack-weights.ts'
import { unitOf } from './stacks/stack-weights.ts'
import type { CallTree, TreeSide } from './tree/call-tree.ts'
import { ROOT, subtreeEnd } from './tree/call-tree.ts'
import type { ValueColumns, Weights } from './tree/exact-values.ts'
import { descending, exactTotal, pickRows, settle, sumOf } from './tree/exact-values.ts'
import type { FrameTable } from './tree/frame-table.ts'
import { compareFrames, isFunction } from './tree/frame-table.ts'

/** Rows are ordered by self, then total, greatest first, then by name. In a diff, by the greater magnitude of both sides. */
export interface TopTable extends TreeSide {
  readonly length: number
  /** Row in `frames`. */
  readonly frame: Uint32Array
  readonly frames: FrameTable
  readonly unit: string
  /** The baseline of a diff, row by row. */
  readonly before: TreeSide | undefined
  /** The number of frames, including those beyond the limit. */
  readonly allFrames: number
}

export type TopSort = 'self' | 'total'

/** Throws RangeError as callTree does. */
export function topTable(profiles: Profiles, selection: ProfileSelection, options: FrameOptions = {}): TopTable {
  const { frames, weights } = sumStacks(profiles, selection, options)
  const { seen, ...sums } = sumFrames(stackPaths(frames, weights), weights)
  const ranks = frames.ranks()
  const frame = seenFrames(seen).sort(topOrder(sums, 'self', (a, b) => ranks[a] - ranks[b]))
  return {
    length: frame.length,
    frame,
    frames: frames.table,
    unit: unitOf(profiles, selection),
    ...pickRows(sums, frame),
    sum: sumOf(weights),
    before: undefined,
    allFrames: frame.length,
  }
}

/** The first `limit` rows of the table of summed stacks, with only the frames they need. */
export function topOfStacks(
  paths: StackPaths,
  weights: Weights,
  unit: string,
  { sort, limit }: { readonly sort: TopSort; readonly limit: number },
): TopTable {
  const frames: LocationFrames = paths.frames
  const { seen, ...sums } = sumFrames(paths, weights)
  const rows = seenFrames(seen)
  const shown = firstRows(
    rows,
    limit,
    topOrder(sums, sort, (a, b) => frames.compare(a, b)),
  )
  return {
    length: shown.length,
    ...frames.pick(shown),
    unit,
    ...pickRows(sums, shown),
    sum: sumOf(weights),
    before: undefined,
    allFrames: rows.length,
  }
}

export interface FrameSums extends ValueColumns {
  /** For each frame 1 if any of the stacks contains it. */
  readonly seen: Uint8Array
}

/** Self and total of every frame, including those that do not occur. */
export function sumFrames(paths: StackPaths, { weight, exact }: Weights): FrameSums {
  const { length } = paths.frames
  const self = new Float64Array(length)
  const total = new Float64Array(length)
  const selfExact = exact && new BigInt64Array(length)
  const totalExact = exact && new BigInt64Array(length)
  // The stack, counted from 1, in which a frame occurred last.
  const lastSeen = new Int32Array(length)
  for (let s = 0; s < weight.length; s++) {
    const depth = paths.read(s)
    const { path } = paths
    const leaf = path[depth - 1]
    self[leaf] += weight[s]
    if (exact !== undefined) selfExact![leaf] = BigInt.asIntN(64, selfExact![leaf] + exact[s])
    for (let k = 0; k < depth; k++) {
      const frame = path[k]
      if (lastSeen[frame] === s + 1) continue
      lastSeen[frame] = s + 1
      total[frame] += weight[s]
      if (exact !== undefined) totalExact![frame] = BigInt.asIntN(64, totalExact![frame] + exact[s])
    }
  }
  settle(self, selfExact)
  settle(total, totalExact)
  return { self, total, selfExact, totalExact, seen: Uint8Array.from(lastSeen, s => (s === 0 ? 0 : 1)) }
}

export function seenFrames(seen: Uint8Array): Uint32Array {
  let count = 0
  for (let i = 0; i < seen.length; i++) if (seen[i] !== 0) count++
  const found = new Uint32Array(count)
  for (let i = 0, at = 0; i < seen.length; i++) if (seen[i] !== 0) found[at++] = i
  return found
}

function topOrder(
  { self, total, selfExact, totalExact }: ValueColumns,
  sort: TopSort,
  compare: (a: number, b: number) => number,
): (a: number, b: number) => number {
  const bySelf = (a: number, b: number): number => descending(self, selfExact, a, b)
  const byTotal = (a: number, b: number): number => descending(total, totalExact, a, b)
  return sort === 'self'
    ? (a, b) => bySelf(a, b) || byTotal(a, b) || compare(a, b)
    : (a, b) => byTotal(a, b) || bySelf(a, b) || compare(a, b)
}

/** The table of a tree, or of the subtree of one node. Only functions have rows. */
export function topOfTree(tree: CallTree, node: number = ROOT): TopTable {
  const { frames, unit } = tree
  const seen = new Uint8Array(frames.length)
  for (let i = node === ROOT ? 0 : node; i < subtreeEnd(tree, node); i++) seen[tree.frame[i]] = 1
  const functions = seenFrames(seen).filter(f => isFunction(frames, f))
  const after = sumFramesOfTree(tree, tree, node)
  const before = tree.before && sumFramesOfTree(tree, tree.before, node)
  const byName = (a: number, b: number): number => compareFrames(frames, a, b)
  const frame = functions.sort(
    before === undefined ? topOrder(after, 'self', byName) : diffOrder(before, after, byName),
  )
  return {
    length: frame.length,
    frames,
    unit,
    frame,
    ...pickRows(after, frame),
    sum: after.sum,
    before: before && { ...pickRows(before, frame), sum: before.sum },
    allFrames: frame.length,
  }
}

function diffOrder(
  before: ValueColumns,
  after: ValueColumns,
  compare: (a: number, b: number) => number,
): (a: number, b: number) => number {
  const greater = (key: 'self' | 'total', f: number): number =>
    Math.max(Math.abs(after[key][f]), Math.abs(before[key][f]))
  return (a, b) => greater('self', b) - greater('self', a) || greater('total', b) - greater('total', a) || compare(a, b)
}

function sumFramesOfTree(tree: CallTree, side: TreeSide, node: number): TreeSide {
  const { length } = tree.frames
  const isInverted = tree.order === 'leaf-first'
  const exact = side.selfExact !== undefined
  const self = new Float64Array(length)
  const total = new Float64Array(length)
  const selfExact = exact ? new BigInt64Array(length) : undefined
  const totalExact = exact ? new BigInt64Array(length) : undefined
  // In an inverted tree, the self of a frame is the total of its roots.
  const own = isInverted ? side.total : side.self
  const ownExact = isInverted ? side.totalExact : side.selfExact
  // The end of the subtree of the frame's outermost open call.
  const open = new Uint32Array(length)
  for (let i = node === ROOT ? 0 : node; i < subtreeEnd(tree, node); i++) {
    const frame = tree.frame[i]
    if (!isInverted || tree.parent[i] === ROOT || i === node) {
      self[frame] += own[i]
      if (selfExact !== undefined && ownExact !== undefined) selfExact[frame] += ownExact[i]
    }
    if (i < open[frame]) continue
    open[frame] = tree.end[i]
    total[frame] += side.total[i]
    if (totalExact !== undefined && side.totalExact !== undefined) totalExact[frame] += side.totalExact[i]
  }
  settle(self, selfExact)
  settle(total, totalExact)
  return { self, total, selfExact, totalExact, sum: node === ROOT ? side.sum : exactTotal(side, node) }
}
