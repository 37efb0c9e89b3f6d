// The changes of every function between two queries, with their significance. The library has the method: analyze/significance.
//
//   before  ├ block ┼ block ┼ block ┤        each instance in each block is a run; with enough instances, each
//   after                           ├ block ┤  instance is a run. The runs of a side show how much it varies without a change
import type { ChangeGroup, ComparedValues, LocationFrames, SidesComparison } from '@hearth/profile'
import {
  SideSums,
  StackPaths,
  canonicalUnit,
  compareSides,
  detectableChange,
  groupChanges,
  studentQuantile,
  sumFrames,
} from '@hearth/profile'
import { QueryError } from '../query-error.ts'
import type { QueryContext } from '../query-context.ts'
import type { Query } from '../query.ts'
import type { FrameChoice } from '../trees/flame-graph.ts'
import { groupingOf } from '../trees/flame-graph.ts'
import { blockLength } from './block-length.ts'
import type { RunSums } from './run-sums.ts'
import { sumRuns } from './run-sums.ts'

export interface CompareChoice extends Pick<FrameChoice, 'by' | 'inlined' | 'addresses'> {
  /** Changes are significant up to this false discovery rate. 0.05 unless given. */
  readonly maxRate?: number
  /** `typical` unless given, see the library. */
  readonly reference?: 'sum' | 'typical'
  /** Nanoseconds after the start of a process that do not count; none unless given. */
  readonly warmUp?: bigint
  /** The maximum number of rows, those with the largest change of self first. 1,000 unless given. */
  readonly maxRows?: number
}

export interface ComparedFunction {
  readonly name: string
  readonly file: string
  readonly line: string
  readonly mapping: string
  readonly self: ComparedValue
  readonly total: ComparedValue
}

/** Values of a side are shares of its sum, from 0 to 1. */
export interface ComparedValue {
  readonly before: number
  readonly after: number
  /** Half the width of the 95 % confidence interval of the change. */
  readonly margin: number
  readonly p: number
  readonly q: number
}

/** Increases with one cause. Values are in the unit of the profiles, summed over the range afterwards. */
export interface FoundChange {
  /** The function where the change enters, then its callers. */
  readonly causes: readonly ComparedFunction[]
  readonly functions: readonly ComparedFunction[]
  readonly decreased: readonly ComparedFunction[]
  readonly change: number
  readonly margin: number
  /** The value if nothing had changed. */
  readonly before: number
  readonly q: number
}

export interface RangesComparison {
  readonly type: string
  readonly unit: string
  readonly sums: readonly [before: number, after: number]
  readonly observations: readonly [before: number, after: number]
  readonly instances: readonly [before: number, after: number]
  readonly runs: readonly [before: number, after: number]
  /** The part of the time afterwards that counts: without the start of processes. */
  readonly counted: number
  /** The standard deviation between runs beyond sampling, relative to the value of a function. */
  readonly variation: number
  /** The number of compared functions. */
  readonly functions: number
  /**
   * The smallest change of a function with 1 % of the total that is found in four of five cases, as a share of the total. Undefined
   * without data on a side.
   */
  readonly detectable: number | undefined
  readonly rows: readonly ComparedFunction[]
  readonly found: readonly FoundChange[]
}

const DEFAULT_MAX_RATE = 0.05
const DEFAULT_MAX_ROWS = 1000

/** Throws QueryError if the sides do not measure the same. */
export async function compareRanges(
  context: QueryContext,
  before: Query,
  after: Query,
  choice: CompareChoice = {},
): Promise<RangesComparison> {
  const { maxRate = DEFAULT_MAX_RATE, reference = 'typical', maxRows = DEFAULT_MAX_ROWS, warmUp = 0n } = choice
  const runs = { block: blockLength(before.to - before.from, after.to - after.from), warmUp }
  const first = await sumRuns(context, before, runs)
  const is = await sumRuns(context, after, runs)
  // Other queries may have evicted the resident memory of the first one in between.
  const was = is.resident === first.resident ? first : await sumRuns(context, before, runs)
  if (was.resident !== is.resident)
    throw new QueryError('argument', 'the two queries exceed the memory limit together; use shorter ranges')
  checkComparable(was, is)
  const frames = is.resident.frames(groupingOf(choice)).current
  const byInstance = hasEnoughInstances(was, is)
  const sides = [was, is].map(sums => sideOf(sums, frames, byInstance))
  const compared = compareSides(sides[0], sides[1], { reference })
  const all = allStacks(was, is, (sides[1].sum * compared.factor) / Math.max(sides[0].sum, Number.MIN_VALUE))
  const groups = groupChanges(new StackPaths(frames, all.stacks), all.weights, compared, { maxRate })
  const rows = new Rows(compared, frames)
  context.residents.trim()
  return {
    type: is.measure.type === '' ? was.measure.type : is.measure.type,
    unit: is.measure.type === '' ? was.measure.unit : is.measure.unit,
    sums: [sides[0].sum, sides[1].sum],
    observations: [observationsIn(sides[0]), observationsIn(sides[1])],
    instances: [instancesIn(was), instancesIn(is)],
    runs: compared.runs,
    counted: is.counted,
    variation: compared.variation,
    functions: compared.frame.length,
    detectable: detectableIn(compared, sides, maxRate),
    rows: rows.largest(maxRows),
    // An interval that contains no change is no evidence, whatever the test says.
    found: groups
      .map(group => rows.found(group, sides[1].sum * compared.factor))
      .filter(each => each.change > each.margin),
  }
}

function checkComparable(was: RunSums, is: RunSums): void {
  const [before, after] = [was.measure, is.measure]
  if (before.type === '' || after.type === '') return
  if (before.type !== after.type || canonicalUnit(before.unit) !== canonicalUnit(after.unit))
    throw new QueryError(
      'mixed-types',
      `${before.type}:${before.unit} and ${after.type}:${after.unit} cannot be compared; select the same type`,
    )
}

function instancesIn({ instance }: RunSums): number {
  return new Set(instance).size
}

/** Then instances show the variation best: the next version runs in other instances too. */
function hasEnoughInstances(was: RunSums, is: RunSums): boolean {
  const [before, after] = [instancesIn(was), instancesIn(is)]
  return Math.min(before, after) >= 2 && before + after >= 5
}

function sideOf(sums: RunSums, frames: LocationFrames, byInstance: boolean): SideSums {
  const side = new SideSums(frames.length, 'share')
  const runs = new Map<number, number[]>()
  for (let row = 0; row < sums.stacks.length; row++) {
    const run = byInstance ? sums.instance[row] : sums.block[row] * 2 ** 20 + sums.instance[row]
    const rows = runs.get(run)
    if (rows === undefined) runs.set(run, [row])
    else rows.push(row)
  }
  for (const rows of runs.values()) {
    const pick = (column: Float64Array): Float64Array => Float64Array.from(rows, row => column[row])
    const [weight, variance] = [pick(sums.weight), pick(sums.variance)]
    const paths = new StackPaths(
      frames,
      Int32Array.from(rows, row => sums.stacks[row]),
    )
    side.add({
      values: sumFrames(paths, { weight, exact: undefined }),
      variances: sumFrames(paths, { weight: variance, exact: undefined }),
      sum: total(weight),
      variance: total(variance),
    })
  }
  return side
}

function total(column: Float64Array): number {
  return column.reduce((sum, value) => sum + value, 0)
}

function observationsIn({ sum, variance }: SideSums): number {
  return variance > 0 ? Math.round((sum * sum) / variance) : 0
}

/** The values of each stack on both sides. The values before are scaled. */
function allStacks(was: RunSums, is: RunSums, scale: number) {
  const before = new Map<number, number>()
  const after = new Map<number, number>()
  for (const [sums, map] of [
    [was, before],
    [is, after],
  ] as const)
    for (const [row, stack] of sums.stacks.entries()) map.set(stack, (map.get(stack) ?? 0) + sums.weight[row])
  const stacks = Int32Array.from(new Set([...before.keys(), ...after.keys()]))
  const weights = [
    Float64Array.from(stacks, stack => (before.get(stack) ?? 0) * scale),
    Float64Array.from(stacks, stack => after.get(stack) ?? 0),
  ] as const
  return { stacks, weights }
}

/** The share of a small function, for which the smallest visible change is stated. */
const SMALL = 0.01

function detectableIn(
  { variation, degrees, frame }: SidesComparison,
  sides: readonly SideSums[],
  maxRate: number,
): number | undefined {
  const counts = sides.map(observationsIn)
  if (Math.min(...counts) === 0) return undefined
  const sampling = counts.reduce((sum, count) => sum + (SMALL * (1 - SMALL)) / count, 0)
  const between = sides.reduce((sum, { runs }) => sum + (variation * SMALL) ** 2 / runs, 0)
  const margin = studentQuantile(0.025, degrees) * Math.sqrt(sampling + between)
  // The first discovery among all functions needs this probability.
  return detectableChange(margin, degrees, maxRate / frame.length)
}

/** Names and values of compared functions. */
class Rows {
  readonly #compared: SidesComparison
  readonly #frames: LocationFrames
  readonly #row: ReadonlyMap<number, number>

  constructor(compared: SidesComparison, frames: LocationFrames) {
    this.#compared = compared
    this.#frames = frames
    this.#row = new Map(Array.from(compared.frame, (f, i) => [f, i]))
  }

  largest(count: number): ComparedFunction[] {
    const { frame, self, total: totals } = this.#compared
    const change = ({ before, after }: ComparedValues, i: number): number => Math.abs(after[i] - before[i])
    return Array.from(frame, (f, i) => ({ f, i }))
      .sort((a, b) => change(self, b.i) - change(self, a.i) || change(totals, b.i) - change(totals, a.i))
      .slice(0, count)
      .map(({ f }) => this.#of(f))
  }

  /** `sum` is the sum afterwards, in values whose share a typical function keeps. */
  found({ causes, functions, decreased, change, before }: ChangeGroup, sum: number): FoundChange {
    const all = functions.map(f => this.#of(f))
    const cause = this.#of(causes[0])
    return {
      causes: causes.map(f => this.#of(f)),
      functions: all,
      decreased: decreased.map(f => this.#of(f)),
      change,
      margin: cause.total.margin * sum,
      before,
      q: Math.min(...all.flatMap(each => [each.self.q, each.total.q])),
    }
  }

  #of(f: number): ComparedFunction {
    const { name, file = '', line = '', mapping = '' } = this.#frames.row(f)
    const { self, total: totals } = this.#compared
    const value = (values: ComparedValues): ComparedValue => {
      const i = this.#row.get(f)
      if (i === undefined) return { before: 0, after: 0, margin: 0, p: 1, q: 1 }
      return {
        before: values.before[i],
        after: values.after[i],
        margin: values.margin[i],
        p: values.p[i],
        q: values.q[i],
      }
    }
    return {
      name,
      file,
      line,
      mapping,
      self: value(self),
      total: value(totals),
    }
  }
}
