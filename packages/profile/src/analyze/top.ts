// The frames of a profile by what was spent in them.
//
//   samples   3 main run gc          name    self   total
//             2 main run             gc         3       3
//             1 main idle            run        2       5
//                                    idle       1       1
//                                    main       0       6
//
// Self counts stacks with the frame at their leaf, total those with the frame anywhere, each once however often the frame
// recurs in it. So selves sum up to the profile's total and no total exceeds it (as long as values are not negative).
import type { Profiles } from '../model/columns/profiles.ts'
import type { FrameOptions } from './call-tree.ts'
import { weighStacks } from './call-tree.ts'
import type { ValueColumns } from './exact-values.ts'
import { descending, overflows, settle } from './exact-values.ts'
import type { FrameTable } from './frames.ts'
import { StackPaths } from './stack-paths.ts'
import type { ProfileSelection, StackWeights } from './stack-weights.ts'
import { sumOf } from './stack-weights.ts'

/** Rows are ordered by self, then total, greatest first, then by name. */
export interface TopTable extends ValueColumns {
  readonly length: number
  /** Row in the frame table; its name and file are read there. */
  readonly frame: Uint32Array
  readonly frames: FrameTable
  /** The total of all samples, exact whatever its size. */
  readonly sum: bigint
  /** As CallTree's. */
  readonly overflow: boolean
}

/** Throws RangeError for a selection that does not exist or cannot be added up. */
export function topTable(profiles: Profiles, selection: ProfileSelection, options: FrameOptions = {}): TopTable {
  const { frames, weights } = weighStacks(profiles, selection, options)
  const sums = sumFrames(frames, weights)
  const ranks = frames.ranks()
  const { self, total, selfExact, totalExact } = sums
  const order = seenFrames(sums.seen).sort(
    (a, b) => descending(self, selfExact, a, b) || descending(total, totalExact, a, b) || ranks[a] - ranks[b],
  )
  const columns = pickedColumns(sums, order)
  return { length: order.length, frame: order, frames, ...columns, sum: sumOf(weights), overflow: overflows(columns) }
}

export interface FrameSums extends ValueColumns {
  /** For each frame whether any of the stacks holds it. */
  readonly seen: Uint8Array
}

/** Self and total of every frame, with a row for those too that do not occur. */
export function sumFrames(frames: FrameTable, { stacks, weight, exact, rooted }: StackWeights): FrameSums {
  const self = new Float64Array(frames.length)
  const total = new Float64Array(frames.length)
  const selfExact = exact && new BigInt64Array(frames.length)
  const totalExact = exact && new BigInt64Array(frames.length)
  const lastSeen = new Int32Array(frames.length) // the stack, counted from 1, that a frame was last met in
  const paths = new StackPaths(frames, rooted)
  for (let s = 0; s < stacks.length; s++) {
    const length = paths.read(stacks[s])
    const { path } = paths
    const leaf = path[length - 1]
    self[leaf] += weight[s]
    if (exact !== undefined) selfExact![leaf] = BigInt.asIntN(64, selfExact![leaf] + exact[s])
    for (let k = 0; k < length; k++) {
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
  for (let i = 0; i < seen.length; i++) count += seen[i]
  const found = new Uint32Array(count)
  for (let i = 0, at = 0; i < seen.length; i++) if (seen[i] !== 0) found[at++] = i
  return found
}

/** The columns' rows in the given order. */
export function pickedColumns(columns: ValueColumns, rows: Uint32Array): ValueColumns {
  const { self, total, selfExact, totalExact } = columns
  return {
    self: Float64Array.from(rows, row => self[row]),
    total: Float64Array.from(rows, row => total[row]),
    selfExact: selfExact && pickedExact(selfExact, rows),
    totalExact: totalExact && pickedExact(totalExact, rows),
  }
}

function pickedExact(column: BigInt64Array, rows: Uint32Array): BigInt64Array {
  const picked = new BigInt64Array(rows.length)
  for (let i = 0; i < rows.length; i++) picked[i] = column[rows[i]]
  return picked
}
