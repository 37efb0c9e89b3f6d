// What changed between two profiles, which may come from different payloads: frames are matched by content, under the
// same grouping as everywhere (name and file, and line where lines are told apart).
//
//   before             after                       before  after  delta
//   3 main run gc      1 main run gc      main        5       7      +2
//   2 main idle        6 main run         ├ run       3       7      +4
//                                         │  └ gc     3       1      -2
//                                         └ idle      2       0      -2   vanished
import type { Profiles } from '../model/columns/profiles.ts'
import type { FrameOptions, TreeOrder } from './call-tree.ts'
import { insertStacks, placedColumns, sumNodes } from './call-tree.ts'
import type { TreeShape } from './depth-first.ts'
import { depthFirst } from './depth-first.ts'
import type { ValueColumns } from './exact-values.ts'
import { EXACT_LIMIT, exactSum } from './exact-values.ts'
import { FrameTrie } from './frame-trie.ts'
import type { FrameTable } from './frames.ts'
import { frameTables } from './frames.ts'
import { RootFrames } from './root-frames.ts'
import type { ProfileSelection, StackWeights } from './stack-weights.ts'
import { measureOf, selectedProfiles, stackWeights, sumOf, withExact } from './stack-weights.ts'
import { pickedColumns, seenFrames, sumFrames } from './top.ts'

export interface DiffSide {
  readonly profiles: Profiles
  readonly selection: ProfileSelection
}

export interface DiffOptions extends Omit<FrameOptions, 'frames'> {
  /**
   * Scales `before` to the total of `after`, so that shares are compared: for recordings of different length. Values of
   * `before` and `delta` are then doubles that need not be whole, without an exact column.
   */
  readonly normalise?: boolean
}

export interface DiffTreeOptions extends DiffOptions {
  readonly order?: TreeOrder
}

/** Where a row is found. */
export const Presence = { before: 1, after: 2, both: 3 } as const

interface Diff {
  /** Frames of both sides; their numbers are the same in either table. */
  readonly frames: FrameTable
  readonly before: ValueColumns
  readonly after: ValueColumns
  /** after - before. */
  readonly delta: ValueColumns
  /** For each row a Presence: `before` alone has vanished, `after` alone is new. */
  readonly presence: Uint8Array
  readonly beforeSum: bigint
  readonly afterSum: bigint
  /** What the values of `before` were multiplied by; 1 unless normalised. */
  readonly scale: number
}

/** Siblings are ordered by the greater magnitude of their two totals, greatest first, then by name. */
export interface DiffTree extends TreeShape, Diff {}

/** Rows are ordered by the magnitude of the change of self, then of total, greatest first, then by name. */
export interface TopDiff extends Diff {
  readonly length: number
  /** Row in the frame table. */
  readonly frame: Uint32Array
}

export function isNew(diff: Pick<Diff, 'presence'>, i: number): boolean {
  return diff.presence[i] === Presence.after
}

export function hasVanished(diff: Pick<Diff, 'presence'>, i: number): boolean {
  return diff.presence[i] === Presence.before
}

/** Throws RangeError where the two do not measure the same thing, unless they are normalised. */
export function diffTree(before: DiffSide, after: DiffSide, options: DiffTreeOptions = {}): DiffTree {
  const both = weighBoth(before, after, options)
  const order = options.order ?? 'root-first'
  const trie = new FrameTrie()
  const beforeNodes = insertStacks(trie, both.beforeFrames, both.before, order)
  const afterNodes = insertStacks(trie, both.frames, both.after, order)
  const beforeSums = scaled(sumNodes(trie, beforeNodes, both.before), both.scale)
  const afterSums = sumNodes(trie, afterNodes, both.after)
  const present = new Uint8Array(trie.length)
  markPaths(present, trie, beforeNodes, Presence.before)
  markPaths(present, trie, afterNodes, Presence.after)
  const size = greaterMagnitude(beforeSums.total, afterSums.total)
  const ranks = both.frames.ranks()
  const { place, ...shape } = depthFirst(
    trie,
    (a, b) => size[b] - size[a] || ranks[trie.frame(a)] - ranks[trie.frame(b)],
  )
  const presence = new Uint8Array(trie.length)
  for (let i = 0; i < present.length; i++) presence[place[i]] = present[i]
  const columns = withDelta(placedColumns(beforeSums, place), placedColumns(afterSums, place))
  return { ...shape, ...columns, presence, ...common(both) }
}

/** Throws RangeError where the two do not measure the same thing, unless they are normalised. */
export function topDiff(before: DiffSide, after: DiffSide, options: DiffOptions = {}): TopDiff {
  const both = weighBoth(before, after, options)
  const { seen: seenBefore, ...rawBefore } = sumFrames(both.beforeFrames, both.before)
  const { seen: seenAfter, ...rawAfter } = sumFrames(both.frames, both.after)
  const { before: beforeSums, after: afterSums, delta } = withDelta(scaled(rawBefore, both.scale), rawAfter)
  const presence = seenBefore.map((seen, i) => seen * Presence.before + seenAfter[i] * Presence.after)
  const ranks = both.frames.ranks()
  const rows = seenFrames(presence.map(p => (p === 0 ? 0 : 1))).sort(
    (a, b) =>
      Math.abs(delta.self[b]) - Math.abs(delta.self[a]) ||
      Math.abs(delta.total[b]) - Math.abs(delta.total[a]) ||
      ranks[a] - ranks[b],
  )
  return {
    length: rows.length,
    frame: rows,
    before: pickedColumns(beforeSums, rows),
    after: pickedColumns(afterSums, rows),
    delta: pickedColumns(delta, rows),
    presence: Uint8Array.from(rows, row => presence[row]),
    ...common(both),
  }
}

interface BothSides {
  readonly before: StackWeights
  readonly after: StackWeights
  readonly beforeFrames: FrameTable
  readonly frames: FrameTable
  readonly beforeSum: bigint
  readonly afterSum: bigint
  readonly scale: number
}

function weighBoth(before: DiffSide, after: DiffSide, options: DiffOptions): BothSides {
  const normalise = options.normalise ?? false
  if (!normalise) checkComparable(before, after)
  const grouping = { by: options.by ?? 'function', inlined: options.inlined ?? true }
  const tables = frameTables([before.profiles.dictionary, after.profiles.dictionary], grouping)
  const roots = new RootFrames(options.roots ?? [], tables[0].functions)
  let beforeWeights = stackWeights(before.profiles, before.selection, roots)
  let afterWeights = stackWeights(after.profiles, after.selection, roots)
  const [beforeFrames, frames] = tables.map(table => table.withRoots(roots.list))
  // Each side may be exact as doubles while their difference, up to 2^54, is not.
  if (beforeWeights.magnitude + afterWeights.magnitude > EXACT_LIMIT) {
    beforeWeights = withExact(before.profiles, before.selection, beforeWeights)
    afterWeights = withExact(after.profiles, after.selection, afterWeights)
  }
  const beforeSum = sumOf(beforeWeights)
  const afterSum = sumOf(afterWeights)
  const scale = normalise ? scaleFor(beforeSum, afterSum) : 1
  return { before: beforeWeights, after: afterWeights, beforeFrames, frames, beforeSum, afterSum, scale }
}

/** No factor turns a sum into one of the other sign, or zero into anything: such profiles are compared as they are. */
function scaleFor(before: bigint, after: bigint): number {
  return before * after > 0n ? Number(after) / Number(before) : 1
}

function checkComparable(before: DiffSide, after: DiffSide): void {
  const [a] = selectedProfiles(before.profiles, before.selection)
  const [b] = selectedProfiles(after.profiles, after.selection)
  if (a === undefined || b === undefined) return
  const was = measureOf(before.profiles, a)
  const is = measureOf(after.profiles, b)
  if (was !== is) throw new RangeError(`profiles of ${was} and ${is} cannot be compared without normalising`)
}

function common({
  frames,
  beforeSum,
  afterSum,
  scale,
}: BothSides): Pick<Diff, 'frames' | 'beforeSum' | 'afterSum' | 'scale'> {
  return { frames, beforeSum, afterSum, scale }
}

/** Marks the nodes and all above them. */
function markPaths(present: Uint8Array, trie: FrameTrie, nodes: Int32Array, mark: number): void {
  for (let s = 0; s < nodes.length; s++) {
    for (let node = nodes[s]; node >= 0 && (present[node] & mark) === 0; node = trie.parent(node)) present[node] |= mark
  }
}

function greaterMagnitude(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => Math.max(Math.abs(value), Math.abs(b[i])))
}

function scaled(columns: ValueColumns, scale: number): ValueColumns {
  if (scale === 1) return columns
  return {
    self: columns.self.map(value => value * scale),
    total: columns.total.map(value => value * scale),
    selfExact: undefined,
    totalExact: undefined,
  }
}

function withDelta(before: ValueColumns, after: ValueColumns): Pick<Diff, 'before' | 'after' | 'delta'> {
  const self = difference(before.self, before.selfExact, after.self, after.selfExact)
  const total = difference(before.total, before.totalExact, after.total, after.totalExact)
  return {
    before,
    after,
    delta: { self: self.near, total: total.near, selfExact: self.exact, totalExact: total.exact },
  }
}

interface Difference {
  readonly near: Float64Array
  readonly exact: BigInt64Array | undefined
}

function difference(
  before: Float64Array,
  beforeExact: BigInt64Array | undefined,
  after: Float64Array,
  afterExact: BigInt64Array | undefined,
): Difference {
  const near = after.map((value, i) => value - before[i])
  if (beforeExact === undefined || afterExact === undefined) return { near, exact: undefined }
  const exact = new BigInt64Array(near.length)
  for (let i = 0; i < near.length; i++) {
    exact[i] = BigInt.asIntN(64, afterExact[i] - beforeExact[i])
    near[i] = Number(exactSum(near[i], exact[i]))
  }
  return { near, exact }
}
