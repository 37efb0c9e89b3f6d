// The changes of every function between two sides of one or more runs each, with their significance. README.md has the method.
import type { Profiles } from '../../model/columns/profiles.ts'
import type { SnapshotMode } from '../../model/temporality/gauge-types.ts'
import { profileTimeRange } from '../../model/columns/time-range.ts'
import { countedRows } from '../../model/temporality/snapshots.ts'
import { compareLongs } from '../../model/columns/order.ts'
import type { Grouping, LocationFrames } from '../stacks/location-frames.ts'
import { sharedLocationFrames } from '../stacks/location-frames.ts'
import { stackPaths } from '../stacks/stack-paths.ts'
import { stackWeights } from '../stacks/stack-weights.ts'
import { sumFrames } from '../top.ts'
import type { FrameTable } from '../tree/frame-table.ts'
import type { CompareOptions, SidesComparison } from './compare-sides.ts'
import { compareSides } from './compare-sides.ts'
import { stackVariances } from './observations.ts'
import { SideSums } from './side-sums.ts'

export interface RunsSide {
  readonly profiles: Profiles
  /** The profiles of each run, of one type and unit. Runs without values are skipped. */
  readonly runs: readonly (readonly number[])[]
}

export interface CompareRunsOptions extends Partial<Grouping>, CompareOptions {
  readonly snapshots?: SnapshotMode | undefined
}

export interface RunsComparison extends SidesComparison {
  /** Rows of `frame` are rows of it. */
  readonly frames: FrameTable
}

/**
 * Each profile as a run, to estimate how much they vary. Profiles of a resource that overlap are one run: those of the threads of a process
 * differ because each thread has its task. Profiles that do not simply add up, such as cumulative ones and snapshots of a state, are
 * one run together.
 *
 *   main thread  ├──── 1 ────┼──── 2 ────┼──── 3 ────┤
 *   worker          ├──── 1 ────┼──── 2 ────┼──── 3 ────┤
 */
export function profilesAsRuns(profiles: Profiles, rows: readonly number[]): (readonly number[])[] {
  const counted = countedRows(profiles, rows)
  if (counted.factors !== undefined || counted.rows.length !== rows.length) return [rows]
  const timed = rows.map(row => ({ row, range: profileTimeRange(profiles, row), resource: resourceOf(profiles, row) }))
  timed.sort(
    (a, b) => a.resource - b.resource || compareLongs(a.range?.first ?? 0n, b.range?.first ?? 0n) || a.row - b.row,
  )
  const runs: number[][] = []
  let open: { readonly resource: number; readonly until: bigint } | undefined
  for (const { row, range, resource } of timed) {
    if (open !== undefined && range !== undefined && open.resource === resource && range.first < open.until) {
      runs.at(-1)!.push(row)
      continue
    }
    runs.push([row])
    // A profile belongs to the run of which it covers the larger part.
    open = range && { resource, until: range.first + (range.last - range.first) / 2n }
  }
  return runs
}

function resourceOf({ resources, scopes }: Profiles, row: number): number {
  for (let r = 0; r < resources.length; r++) {
    for (let s = resources.from(r); s < resources.to(r); s++) if (row >= scopes.from(s) && row < scopes.to(s)) return r
  }
  return -1
}

/** Throws RangeError if the profiles of a side cannot be added up. */
export function compareRuns(before: RunsSide, after: RunsSide, options: CompareRunsOptions = {}): RunsComparison {
  const { by = 'function', inlined = true, addresses } = options
  const tables = sharedLocationFrames([before.profiles.dictionary, after.profiles.dictionary], {
    by,
    inlined,
    addresses,
  })
  const [was, is] = [before, after].map((side, i) => sumRuns(side, tables[i], options))
  return { ...compareSides(was, is, options), frames: tables[1].table }
}

function sumRuns(
  { profiles, runs }: RunsSide,
  frames: LocationFrames,
  { compare = 'share', snapshots }: CompareRunsOptions,
): SideSums {
  const side = new SideSums(frames.length, compare)
  for (const rows of runs) {
    const weights = stackWeights(profiles, rows, { snapshots })
    const sum = weights.weight.reduce((all, weight) => all + weight, 0)
    if (sum <= 0) continue
    const weight = stackVariances(profiles, rows, weights, snapshots)
    const paths = stackPaths(frames, weights)
    side.add({
      values: sumFrames(paths, { weight: weights.weight, exact: undefined }),
      variances: sumFrames(paths, { weight, exact: undefined }),
      sum,
      variance: weight.reduce((all, one) => all + one, 0),
    })
  }
  return side
}
