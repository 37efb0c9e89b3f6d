// What changed between two queries: both summed on one trie, node by node.
//
//   before             after                       before  after  delta
//   3 main run gc      1 main run gc      main        5       7      +2
//   2 main idle        6 main run         ├ run       3       7      +4
//                                         │  └ gc     3       1      -2
//                                         └ idle      2       0      -2   vanished
import type { TreeOrder, ValueColumns } from '@hearth/profile'
import { canonicalUnit, exactSelf, exactTotal } from '@hearth/profile'
import { answerFrames } from './answer-frames.ts'
import type { Hidden, TreeChoice, TreeColumns } from './flame-graph.ts'
import { DEFAULT_MAX_NODES, MOST_NODES, placeStacks, sumOfSelves, treeColumns } from './flame-graph.ts'
import { ratio } from '../select/measure.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { checkCount } from '../query.ts'
import type { Side } from './tree-layout.ts'
import { layTree } from './tree-layout.ts'
import type { QueryContext } from '../query-context.ts'
import type { Measured, Missing, Weighed } from './summed-stacks.ts'
import { overflows, weigh } from './summed-stacks.ts'

export interface DiffChoice extends TreeChoice {
  /**
   * Scales `before` to the sum of `after`, so that shares are compared: for ranges of different length. Its values are then
   * doubles that need not be whole, without an exact column.
   */
  readonly normalise?: boolean
}

export interface DiffSide extends Measured {
  /** As it was found, not scaled. */
  readonly sum: bigint
  readonly columns: ValueColumns
  readonly overflow: boolean
  readonly hidden: Hidden
  readonly missing: Missing
}

/** Siblings are ordered by the greater magnitude of their two totals, greatest first, then by name. */
export interface Diff extends TreeColumns {
  readonly order: TreeOrder
  readonly before: DiffSide
  readonly after: DiffSide
  /** after - before. */
  readonly delta: ValueColumns
  /** For each node 1 where it is in `before`, 2 where it is in `after`, 3 for both. */
  readonly presence: Uint8Array
  /** What values of `before` were multiplied by; 1 unless normalised. */
  readonly scale: number
}

/** Throws QueryError where the two do not measure the same thing in the same unit, unless they are normalised. */
export async function diff(context: QueryContext, before: Query, after: Query, choice: DiffChoice = {}): Promise<Diff> {
  const { order = 'root-first', maxNodes = DEFAULT_MAX_NODES, normalise = false } = choice
  checkCount('maxNodes', maxNodes, MOST_NODES)
  if (before.tenant !== after.tenant) throw new QueryError('argument', 'the two queries are of different tenants')
  const first = await weigh(context, before, choice.roots)
  const is = await weigh(context, after, choice.roots)
  // In between, other queries may have had the first one's memory dropped.
  const was = is.resident === first.resident ? first : await weighAgain(context, before, choice, is)
  if (!normalise) checkComparable(was.measured, is.measured)
  const { stacks, nodes, frames } = placeStacks(is.resident, choice, order, [was, is])
  const wide = was.sums.magnitude + is.sums.magnitude > Number.MAX_SAFE_INTEGER
  const sides = [sideOf(nodes[0], was, wide), sideOf(nodes[1], is, wide)]
  const tree = layTree(stacks, sides, { budget: maxNodes, compareFrames: (a, b) => frames.compare(a, b) })
  const scale = normalise ? scaleFor(was.sum, is.sum) : 1
  const columns = scaled(tree.columns[0], scale)
  context.residents.trim()
  return {
    ...treeColumns(tree),
    ...answerFrames(frames, tree.frame),
    order,
    before: diffSide(was, columns, sumOfSelves(tree.columns[0]), tree.hiddenNodes),
    after: diffSide(is, tree.columns[1], sumOfSelves(tree.columns[1]), tree.hiddenNodes),
    delta: deltaOf(columns, tree.columns[1]),
    presence: tree.presence,
    scale,
  }
}

async function weighAgain(
  context: QueryContext,
  query: Query,
  { roots }: DiffChoice,
  { resident }: Weighed,
): Promise<Weighed> {
  const again = await weigh(context, query, roots)
  if (again.resident !== resident) throw new QueryError('argument', 'the two do not fit into memory together')
  return again
}

function checkComparable(was: Measured, is: Measured): void {
  if (was.type === '' || is.type === '') return
  const [before, after] = [canonicalUnit(was.unit), canonicalUnit(is.unit)]
  if (was.type !== is.type) {
    throw new QueryError('mixed-types', `${was.type} and ${is.type} are compared by their shares only: normalise`)
  }
  if (before === after) return
  const convertible = ratio(before, after) !== undefined || ratio(after, before) !== undefined
  const hint = convertible
    ? 'name the same unit in both, or normalise'
    : 'they are compared by their shares only: normalise'
  throw new QueryError('mixed-units', `values in ${was.unit} and in ${is.unit}: ${hint}`)
}

function sideOf(nodes: Int32Array, { sums }: Weighed, wide: boolean): Side {
  const exact = wide ? (sums.exact ?? BigInt64Array.from(sums.weight, weight => BigInt(weight))) : undefined
  return { nodes, weight: sums.weight, exact }
}

/** No factor turns a sum into one of the other sign, or zero into anything: such ones are compared as they are. */
function scaleFor(before: bigint, after: bigint): number {
  return before * after > 0n ? Number(after) / Number(before) : 1
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

function diffSide(weighed: Weighed, columns: ValueColumns, shown: bigint, hiddenNodes: number): DiffSide {
  const { measured, missing, sum } = weighed
  const hidden = { nodes: hiddenNodes, self: sum - shown }
  return { ...measured, sum, columns, overflow: overflows(columns), hidden, missing }
}

function deltaOf(before: ValueColumns, after: ValueColumns): ValueColumns {
  const self = after.self.map((value, i) => value - before.self[i])
  const total = after.total.map((value, i) => value - before.total[i])
  if (before.selfExact === undefined || after.selfExact === undefined) {
    return { self, total, selfExact: undefined, totalExact: undefined }
  }
  const selfExact = new BigInt64Array(self.length)
  const totalExact = new BigInt64Array(self.length)
  for (let i = 0; i < self.length; i++) {
    const selfDelta = exactSelf(after, i) - exactSelf(before, i)
    const totalDelta = exactTotal(after, i) - exactTotal(before, i)
    self[i] = Number(selfDelta)
    total[i] = Number(totalDelta)
    selfExact[i] = BigInt.asIntN(64, selfDelta)
    totalExact[i] = BigInt.asIntN(64, totalDelta)
  }
  return { self, total, selfExact, totalExact }
}
