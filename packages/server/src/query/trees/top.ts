// The frames of everything that a query selects, with their self and total values; see the library's top.ts.
import type { TopSort, TopTable } from '@hearth/profile'
import { StackPaths, overflows, topOfStacks } from '@hearth/profile'
import type { Query } from '../query.ts'
import { checkCount } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import type { FrameChoice } from './flame-graph.ts'
import { groupingOf } from './flame-graph.ts'
import { framesWithRoots } from './stack-roots.ts'
import type { Measured, Missing } from './summed-stacks.ts'
import { sumByStack } from './summed-stacks.ts'

export interface TopChoice extends FrameChoice {
  /** 'self' unless given. */
  readonly sort?: TopSort
  /** 1,000 unless given. */
  readonly maxFrames?: number
}

/** Rows are ordered by the chosen value, then by the other, greatest first, then by name. */
export interface Top extends Measured, TopTable {
  readonly overflow: boolean
  readonly missing: Missing
}

const DEFAULT_MAX_FRAMES = 1_000
const MAX_FRAMES = 1_000_000

export async function top(context: QueryContext, query: Query, choice: TopChoice = {}): Promise<Top> {
  const { sort = 'self', maxFrames = DEFAULT_MAX_FRAMES } = choice
  checkCount('maxFrames', maxFrames, MAX_FRAMES)
  const { measured, missing, resident, stacks, sums } = await sumByStack(context, query, choice.roots)
  const current = resident.frames(groupingOf(choice)).current
  const { frames, roots } = framesWithRoots(current, choice.roots ?? [], [sums.roots])
  const paths = new StackPaths(frames, stacks, roots[0])
  const table = topOfStacks(paths, sums, measured.unit, { sort, limit: maxFrames })
  context.residents.trim()
  return { ...measured, ...table, overflow: overflows(table), missing }
}
