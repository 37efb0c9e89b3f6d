// The frames of everything that a query selects, by what was spent in them. Self counts stacks with the frame at their
// leaf, total those with the frame anywhere, each once however often the frame recurs in it.
import type { FrameTable, ValueColumns } from '@hearth/profile'
import { exactSelf, exactTotal } from '@hearth/profile'
import type { AnswerFrame } from './answer-frames.ts'
import { answerFrame } from './answer-frames.ts'
import type { FrameChoice } from './flame-graph.ts'
import { groupingOf } from './flame-graph.ts'
import type { Query } from '../query.ts'
import { checkCount } from '../query.ts'
import type { FramePaths } from '../resident/frame-paths.ts'
import type { RootsOf } from './stack-roots.ts'
import { framesWithRoots } from './stack-roots.ts'
import type { QueryContext } from '../query-context.ts'
import type { Measured, Missing } from './summed-stacks.ts'
import { overflows, weigh } from './summed-stacks.ts'

export interface TopChoice extends FrameChoice {
  /** 'self' unless given. */
  readonly sort?: 'self' | 'total'
  /** How many rows at the most; 1,000 unless given. */
  readonly maxFrames?: number
}

/** Greatest first by what it is sorted by, then by the other, then by name. */
export interface Top extends Measured, ValueColumns {
  readonly length: number
  readonly frames: readonly AnswerFrame[]
  readonly sum: bigint
  readonly overflow: boolean
  /** How many frames there are in all. */
  readonly allFrames: number
  readonly missing: Missing
}

const DEFAULT_MAX_FRAMES = 1_000
const MOST_FRAMES = 1_000_000

export async function top(context: QueryContext, query: Query, choice: TopChoice = {}): Promise<Top> {
  const { sort = 'self', maxFrames = DEFAULT_MAX_FRAMES } = choice
  checkCount('maxFrames', maxFrames, MOST_FRAMES)
  const { measured, missing, resident, stacks, sums, sum } = await weigh(context, query, choice.roots)
  const paths = resident.paths(groupingOf(choice))
  const { frames, roots } = framesWithRoots(paths.frames, choice.roots ?? [], [sums.roots])
  const { seen, ...columns } = sumFrames(paths, frames, stacks, sums, roots[0])
  const order = orderOf(columns, sort, (a, b) => frames.compare(a, b))
  const rows = seen.sort(order)
  const shown = rows.slice(0, maxFrames)
  const picked = pickedColumns(columns, shown)
  context.residents.trim()
  return {
    ...measured,
    ...picked,
    length: shown.length,
    frames: Array.from(shown, row => answerFrame(frames, row)),
    sum,
    overflow: overflows(picked),
    allFrames: rows.length,
    missing,
  }
}

interface Weights {
  readonly weight: Float64Array
  readonly exact: BigInt64Array | undefined
}

export interface FrameSums extends ValueColumns {
  /** Frames that are in any of the stacks. */
  readonly seen: Uint32Array
}

/** Self and total by frame, with a row for those too that do not occur. */
export function sumFrames(
  paths: FramePaths,
  frames: FrameTable,
  stacks: Int32Array,
  { weight, exact }: Weights,
  roots: RootsOf,
): FrameSums {
  const { length } = frames
  const self = new Float64Array(length)
  const total = new Float64Array(length)
  const selfExact = exact && new BigInt64Array(length)
  const totalExact = exact && new BigInt64Array(length)
  // The stack, counted from 1, that a frame was last met in.
  const lastSeen = new Int32Array(length)
  for (let s = 0; s < stacks.length; s++) {
    const depth = paths.read(stacks[s], frames, roots(s))
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
  const seen: number[] = []
  for (let frame = 0; frame < length; frame++) if (lastSeen[frame] !== 0) seen.push(frame)
  const columns = { self, total, selfExact, totalExact }
  if (exact !== undefined) {
    for (const frame of seen) {
      self[frame] = Number(exactSelf(columns, frame))
      total[frame] = Number(exactTotal(columns, frame))
    }
  }
  return { ...columns, seen: Uint32Array.from(seen) }
}

function orderOf(
  columns: ValueColumns,
  sort: 'self' | 'total',
  byName: (a: number, b: number) => number,
): (a: number, b: number) => number {
  const bySelf = descending(columns.self, columns.selfExact)
  const byTotal = descending(columns.total, columns.totalExact)
  const [first, second] = sort === 'self' ? [bySelf, byTotal] : [byTotal, bySelf]
  return (a, b) => first(a, b) || second(a, b) || byName(a, b)
}

function descending(near: Float64Array, exact: BigInt64Array | undefined): (a: number, b: number) => number {
  if (exact === undefined) return (a, b) => near[b] - near[a]
  // Sums with the same nearest double are close, so their true difference is the one modulo 2^64.
  return (a, b) => near[b] - near[a] || Number(BigInt.asIntN(64, exact[b] - exact[a]))
}

function pickedColumns({ self, total, selfExact, totalExact }: ValueColumns, rows: Uint32Array): ValueColumns {
  const longs = (values: BigInt64Array | undefined) =>
    values && BigInt64Array.from(Array.from(rows, row => values[row]))
  return {
    self: Float64Array.from(rows, row => self[row]),
    total: Float64Array.from(rows, row => total[row]),
    selfExact: longs(selfExact),
    totalExact: longs(totalExact),
  }
}
