// The changes of every function between two sides of one or more runs each, with their significance. README.md has the method.
import type { Profiles } from '../../model/columns/profiles.ts'
import type { SnapshotMode } from '../../model/temporality/gauge-types.ts'
import { countedRows } from '../../model/temporality/snapshots.ts'
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
 * Each profile as a run, to estimate how much they vary. Profiles that do not simply add up, such as cumulative ones and snapshots of a
 * state, are one run together.
 */
export function profilesAsRuns(profiles: Profiles, rows: readonly number[]): (readonly number[])[] {
  const counted = countedRows(profiles, rows)
  const isPlain = counted.factors === undefined && counted.rows.length === rows.length
  return isPlain ? rows.map(row => [row]) : [rows]
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
