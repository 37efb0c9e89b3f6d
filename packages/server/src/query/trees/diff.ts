// The changes between two queries: both summed on one trie, node by node.
//
//   before             after                       before  after  delta
//   3 main run gc      1 main run gc      main        5       7      +2
//   2 main idle        6 main run         ├ run       3       7      +4
//                                         │  └ gc     3       1      -2
//                                         └ idle      2       0      -2   removed
import type { DiffTree, Side, ValueColumns } from '@hearth/profile'
import { buildTree, canonicalUnit, diffOfBuilt, overflows, scaleFor, sumOf } from '@hearth/profile'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { checkCount } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import { ratio } from '../select/measure.ts'
import type { Hidden, TreeChoice } from './flame-graph.ts'
import { DEFAULT_MAX_NODES, MAX_NODES, placeStacks, withUsedFrames } from './flame-graph.ts'
import type { Measured, Missing, SummedStacks } from './summed-stacks.ts'
import { sumByStack } from './summed-stacks.ts'

export interface DiffChoice extends TreeChoice {
  /**
   * Scales `before` to the sum of `after`, to compare the shares of ranges of different length. The scaled values are doubles
   * that need not be integers, without an exact column.
   */
  readonly normalise?: boolean
  /** A factor for `before`, if it is not normalised. */
  readonly scale?: number
}

export interface DiffSide extends Measured {
  /** Not scaled. */
  readonly sum: bigint
  readonly overflow: boolean
  readonly hidden: Hidden
  readonly missing: Missing
}

export interface Diff {
  readonly tree: DiffTree
  readonly before: DiffSide
  readonly after: DiffSide
}

/** Throws QueryError if the two queries do not measure the same thing in the same unit, unless they are normalised. */
export async function diff(context: QueryContext, before: Query, after: Query, choice: DiffChoice = {}): Promise<Diff> {
  const { order = 'root-first', maxNodes = DEFAULT_MAX_NODES, normalise = false } = choice
  checkCount('maxNodes', maxNodes, MAX_NODES)
  if (before.tenant !== after.tenant) throw new QueryError('argument', 'the two queries are of different tenants')
  const first = await sumByStack(context, before, choice.roots)
  const is = await sumByStack(context, after, choice.roots)
  // Other queries may have evicted the resident memory of the first one in between.
  const was = is.resident === first.resident ? first : await sumAgain(context, before, choice, is)
  if (!normalise) checkComparable(was.measured, is.measured)
  const { trie, nodes, frames } = placeStacks(is.resident, choice, order, [was, is])
  const exact = was.sums.magnitude + is.sums.magnitude > Number.MAX_SAFE_INTEGER
  const sides = [sideOf(nodes[0], was, exact), sideOf(nodes[1], is, exact)]
  const built = buildTree(trie, sides, { maxNodes, compareFrames: (a, b) => frames.compare(a, b) })
  const scale = normalise ? scaleFor(was.sum, is.sum) : (choice.scale ?? 1)
  const { unit } = is.measured
  const tree = diffOfBuilt(...withUsedFrames(built, frames, { order, unit, sums: [was.sum, is.sum] }), scale)
  context.residents.trim()
  return {
    tree,
    before: diffSide(was, tree.before, built.columns[0], built.hiddenNodes),
    after: diffSide(is, tree, built.columns[1], built.hiddenNodes),
  }
}

async function sumAgain(
  context: QueryContext,
  query: Query,
  { roots }: DiffChoice,
  { resident }: SummedStacks,
): Promise<SummedStacks> {
  const again = await sumByStack(context, query, roots)
  if (again.resident !== resident)
    throw new QueryError('argument', 'the two queries exceed the memory limit together; use shorter ranges')
  return again
}

function checkComparable(was: Measured, is: Measured): void {
  if (was.type === '' || is.type === '') return
  const [before, after] = [canonicalUnit(was.unit), canonicalUnit(is.unit)]
  if (was.type !== is.type) {
    throw new QueryError(
      'mixed-types',
      `${was.type} and ${is.type} can only be compared by their shares; use normalise`,
    )
  }
  if (before === after) return
  const convertible = ratio(before, after) !== undefined || ratio(after, before) !== undefined
  const hint = convertible
    ? 'select the same unit in both, or use normalise'
    : 'they can only be compared by their shares; use normalise'
  throw new QueryError('mixed-units', `values in ${was.unit} and in ${is.unit}: ${hint}`)
}

/** The difference of two sides may need exact sums even if each side does not. */
function sideOf(nodes: Int32Array, { sums }: SummedStacks, exact: boolean): Side {
  const longs = exact ? (sums.exact ?? BigInt64Array.from(sums.weight, weight => BigInt(weight))) : undefined
  return { nodes, weight: sums.weight, exact: longs }
}

/** `unscaled` are the values before scaling. */
function diffSide(
  { measured, missing, sum }: SummedStacks,
  columns: ValueColumns,
  { self, selfExact }: ValueColumns,
  hiddenNodes: number,
): DiffSide {
  const hidden = { nodes: hiddenNodes, self: sum - sumOf({ weight: self, exact: selfExact }) }
  return { ...measured, sum, overflow: overflows(columns), hidden, missing }
}
