// The changes between two profiles or two trees. Frames of different payloads are matched by content, under the same grouping
// as everywhere: name and file, and line if the grouping has lines.
//
//   before             after                       before  after  delta
//   3 main run gc      1 main run gc      main        5       7      +2
//   2 main idle        6 main run         ├ run       3       7      +4
//                                         │  └ gc     3       1      -2
//                                         └ idle      2       0      -2   removed
import type { Profiles } from '../model/columns/profiles.ts'
import type { FrameOptions } from './profile-tree.ts'
import type { LocationFrames } from './stacks/location-frames.ts'
import { sharedLocationFrames } from './stacks/location-frames.ts'
import { RootFrames } from './stacks/root-frames.ts'
import { stackPaths } from './stacks/stack-paths.ts'
import type { ProfileSelection, StackWeights } from './stacks/stack-weights.ts'
import { measureOf, selectedProfiles, stackWeights, unitOf, withExact } from './stacks/stack-weights.ts'
import type { TopTable } from './top.ts'
import { seenFrames, sumFrames } from './top.ts'
import type { BuiltTree } from './tree/build-tree.ts'
import type { NodeWeights } from './tree/tree-nodes.ts'
import { buildTree } from './tree/build-tree.ts'
import type { CallTree, TreeOrder, TreeParts, TreeSide } from './tree/call-tree.ts'
import { Presence, ROOT, treeOfBuilt } from './tree/call-tree.ts'
import { EXACT_LIMIT, differences, pickRows, scaleFor, scaled, sumOf } from './tree/exact-values.ts'
import { FrameTrie } from './tree/frame-trie.ts'
import { scaledSum } from './tree/tree-columns.ts'

export interface DiffSide {
  readonly profiles: Profiles
  readonly selection: ProfileSelection
}

export interface DiffOptions extends Omit<FrameOptions, 'frames'> {
  /**
   * Scales the baseline to the total of the comparison, to compare shares of recordings of different length. The scaled
   * values are doubles that need not be integers, without an exact column.
   */
  readonly normalise?: boolean
}

export interface DiffTreeOptions extends DiffOptions {
  readonly order?: TreeOrder
}

interface Scaled {
  readonly before: TreeSide
  /** A Presence for each node or row. */
  readonly presence: Uint8Array
  /** The factor that the values of the baseline were multiplied by; 1 unless normalised. */
  readonly scale: number
  /** The sum of the baseline before scaling. */
  readonly beforeSum: bigint
}

export interface DiffTree extends CallTree, Scaled {
  readonly before: TreeSide
  readonly presence: Uint8Array
}

/** Rows are ordered by the magnitude of the change of self, then of total, greatest first, then by name. */
export interface TopDiff extends TopTable, Scaled {
  readonly before: TreeSide
}

export function isNew({ presence }: Pick<Scaled, 'presence'>, i: number): boolean {
  return presence[i] === Presence.after
}

export function hasVanished({ presence }: Pick<Scaled, 'presence'>, i: number): boolean {
  return presence[i] === Presence.before
}

/** Throws RangeError if the two profiles do not measure the same thing, unless they are normalised. */
export function diffTree(before: DiffSide, after: DiffSide, options: DiffTreeOptions = {}): DiffTree {
  const { order = 'root-first' } = options
  const { frames, beforeFrames, sides, sums, unit, scale } = sumBoth(before, after, options)
  const trie = new FrameTrie()
  const placed = [beforeFrames, frames].map((own, i): NodeWeights => ({
    nodes: stackPaths(own, sides[i]).insertAll(trie, order),
    weight: sides[i].weight,
    exact: sides[i].exact,
  }))
  const ranks = frames.ranks()
  const built = buildTree(trie, placed, { compareFrames: (a, b) => ranks[a] - ranks[b] })
  return diffOfBuilt(built, { frames: frames.table, order, unit, sums }, scale)
}

/** The diff of a tree that was built from two sides. The sums are not scaled. */
export function diffOfBuilt(built: BuiltTree, parts: TreeParts, scale: number): DiffTree {
  const [beforeSum, sum] = parts.sums
  const [before, after] = built.columns
  const columns = [scaled(before, scale), after]
  const tree = treeOfBuilt({ ...built, columns }, { ...parts, sums: [scaledSum(beforeSum, scale), sum] })
  return { ...tree, before: tree.before!, presence: built.presence, scale, beforeSum }
}

/** Throws RangeError if the two profiles do not measure the same thing, unless they are normalised. */
export function topDiff(before: DiffSide, after: DiffSide, options: DiffOptions = {}): TopDiff {
  const { frames, beforeFrames, sides, sums, unit, scale } = sumBoth(before, after, options)
  const { seen: seenBefore, ...rawBefore } = sumFrames(stackPaths(beforeFrames, sides[0]), sides[0])
  const { seen: seenAfter, ...is } = sumFrames(stackPaths(frames, sides[1]), sides[1])
  const was = scaled(rawBefore, scale)
  const delta = differences(was, is)
  const presence = seenBefore.map((seen, i) => seen * Presence.before + seenAfter[i] * Presence.after)
  const ranks = frames.ranks()
  const frame = seenFrames(presence).sort(
    (a, b) =>
      Math.abs(delta.self[b]) - Math.abs(delta.self[a]) ||
      Math.abs(delta.total[b]) - Math.abs(delta.total[a]) ||
      ranks[a] - ranks[b],
  )
  const [beforeSum, sum] = sums
  return {
    length: frame.length,
    frame,
    frames: frames.table,
    unit,
    ...pickRows(is, frame),
    sum,
    before: { ...pickRows(was, frame), sum: scaledSum(beforeSum, scale) },
    presence: Uint8Array.from(frame, row => presence[row]),
    allFrames: frame.length,
    scale,
    beforeSum,
  }
}

interface BothSides {
  readonly frames: LocationFrames
  readonly beforeFrames: LocationFrames
  /** The baseline first. */
  readonly sides: readonly [StackWeights, StackWeights]
  readonly sums: readonly [bigint, bigint]
  readonly unit: string
  readonly scale: number
}

function sumBoth(before: DiffSide, after: DiffSide, options: DiffOptions): BothSides {
  const { normalise = false, by = 'function', inlined = true, addresses, snapshots } = options
  if (!normalise) checkComparable(before, after)
  const tables = sharedLocationFrames([before.profiles.dictionary, after.profiles.dictionary], {
    by,
    inlined,
    addresses,
  })
  const roots = new RootFrames(options.roots ?? [], tables[0].functions)
  let was = stackWeights(before.profiles, before.selection, { roots, snapshots })
  let is = stackWeights(after.profiles, after.selection, { roots, snapshots })
  const [beforeFrames, frames] = tables.map(table => table.withRoots(roots.list))
  // Each side may be exact as doubles while their difference, up to 2^54, is not.
  if (was.magnitude + is.magnitude > EXACT_LIMIT) {
    was = withExact(before.profiles, before.selection, was, snapshots)
    is = withExact(after.profiles, after.selection, is, snapshots)
  }
  const sums = [sumOf(was), sumOf(is)] as const
  const scale = normalise ? scaleFor(...sums) : 1
  return { frames, beforeFrames, sides: [was, is], sums, unit: unitOf(after.profiles, after.selection), scale }
}

function checkComparable(before: DiffSide, after: DiffSide): void {
  const [a] = selectedProfiles(before.profiles, before.selection)
  const [b] = selectedProfiles(after.profiles, after.selection)
  if (a === undefined || b === undefined) return
  const was = measureOf(before.profiles, a)
  const is = measureOf(after.profiles, b)
  if (was !== is) throw new RangeError(`profiles of ${was} and ${is} cannot be compared without normalising`)
}

/** The change of a node's share: after less before, from -1 to 1. 0 if the tree is not a diff. */
export function changeOf(tree: CallTree, node: number): number {
  const { before } = tree
  if (before === undefined || node === ROOT) return 0
  return share(tree.total[node], tree.sum) - share(before.total[node], before.sum)
}

function share(value: number, sum: bigint): number {
  return sum === 0n ? 0 : value / Number(sum)
}

/** Steps of scales that are easy to read. */
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

/**
 * The end of the colour scale on both sides: the first step that is not below the change of any node, nor below `noise`. A scale
 * that ends at the noise would show chance in full strength.
 */
export function changeLimit(tree: CallTree, noise = 0): number {
  let greatest = noise
  for (let i = 0; i < tree.length; i++) greatest = Math.max(greatest, Math.abs(changeOf(tree, i)))
  return STEPS.find(step => step >= greatest - 1e-12) ?? 1
}
