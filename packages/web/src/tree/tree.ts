// The tree that is drawn, in depth-first columns as analyze makes them, with frames as plain text so that it can be sent
// from a worker. Node i's subtree is the range [i, end[i]).
//
//   index   0     1    2    3            all (ROOT, -1)
//   name    main  run  gc   idle          └ main [0,4)
//   depth   0     1    2    1                ├ run [1,3)
//   end     4     3    3    4                │  └ gc [2,3)
//   total   6     5    3    1                └ idle [3,4)
//
// A total may be more than self and the totals of the children: the server leaves out the smallest nodes, and a stack all
// of whose frames were merged away is in `sum` alone.
import type { TreeOrder, ValueColumns } from '@hearth/profile'
import { exactSelf, exactTotal } from '@hearth/profile'
import type { Frames } from './frames.ts'
import { titleOf } from './frames.ts'

/** Stands for everything: the parent of the roots, and the box above them. */
export const ROOT = -1

export interface TreeSide extends ValueColumns {
  /** Of all samples, exact whatever its size. */
  readonly sum: bigint
}

export interface Tree extends TreeSide {
  readonly length: number
  /** ROOT for roots. */
  readonly parent: Int32Array
  readonly end: Uint32Array
  readonly depth: Uint32Array
  /** Row in frames. */
  readonly frame: Uint32Array
  readonly frames: Frames
  readonly order: TreeOrder
  readonly unit: string
  /** What it is compared with, node by node; the values of the tree itself are those after. */
  readonly before: TreeSide | undefined
  /** How many nodes were left out when the tree was made. */
  readonly hiddenNodes: number
  /** Where nodes are calls in the order of time rather than sums: their values are durations, in nanoseconds. */
  readonly times?: CallTimes
}

export interface CallTimes {
  /** Of each node, from the beginning of everything. */
  readonly start: Float64Array
  /** How long everything took. */
  readonly whole: number
}

export function selfOf(tree: Tree, node: number): bigint {
  if (node !== ROOT) return exactSelf(tree, node)
  let rest = tree.sum
  for (let i = 0; i < tree.length; i = tree.end[i]) rest -= exactTotal(tree, i)
  return rest
}

export function totalOf(tree: Tree, node: number): bigint {
  return node === ROOT ? tree.sum : exactTotal(tree, node)
}

/** Frame numbers of the node's callers and itself, outermost first; none for ROOT. */
export function framesTo(tree: Tree, node: number): number[] {
  const path: number[] = []
  for (let i = node; i !== ROOT; i = tree.parent[i]) path.push(tree.frame[i])
  return path.reverse()
}

/** For boxes. */
export function nameOf(tree: Tree, node: number): string {
  return node === ROOT ? 'all' : tree.frames.name[tree.frame[node]]
}

/** For sentences: `thread.name = main` where it is no function. */
export function titleAt(tree: Tree, node: number): string {
  return node === ROOT ? 'all' : titleOf(tree.frames, tree.frame[node])
}

/** The nodes from the root down to this one, without ROOT. */
export function nodesTo(tree: Tree, node: number): number[] {
  const path: number[] = []
  for (let i = node; i !== ROOT; i = tree.parent[i]) path.push(i)
  return path.reverse()
}

/** Orders siblings: the one of greater magnitude, on either side, first. */
export function byMagnitude(after: ValueColumns, before: ValueColumns | undefined, a: number, b: number): number {
  const difference = magnitude(after, before, b) - magnitude(after, before, a)
  if (difference !== 0 || (after.totalExact === undefined && before?.totalExact === undefined)) return difference
  // Sums above 2^53 may be one double and yet differ.
  const exactA = exactMagnitude(after, before, a)
  const exactB = exactMagnitude(after, before, b)
  return exactA === exactB ? 0 : exactA > exactB ? -1 : 1
}

function magnitude({ total }: ValueColumns, before: ValueColumns | undefined, node: number): number {
  const after = Math.abs(total[node])
  return before === undefined ? after : Math.max(after, Math.abs(before.total[node]))
}

function exactMagnitude(after: ValueColumns, before: ValueColumns | undefined, node: number): bigint {
  const one = absolute(exactTotal(after, node))
  if (before === undefined) return one
  const other = absolute(exactTotal(before, node))
  return one > other ? one : other
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}
