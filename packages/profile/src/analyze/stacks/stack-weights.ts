// The sum of each distinct stack of the selected profiles. Samples are summed by stack first, so that all later steps work per
// stack. The value of a sample is the sum of its values, or the number of its timestamps if it has no values
// (SampleTable.total).
//
//   sample   0   1   2   3            stacks   7   4
//   stack    7   4   7   2     ──►    weight   8   1        stack 2 has only zeros, so it is skipped
//   value    5   1   3   0
import { NONE } from '../../model/columns/brand.ts'
import { int64ToNumber } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { SnapshotMode } from '../../model/temporality/gauge-types.ts'
import type { CountedRows } from '../../model/temporality/snapshots.ts'
import { countedRows } from '../../model/temporality/snapshots.ts'
import { canonicalUnit } from '../../model/text/units.ts'
import { EXACT_LIMIT } from '../tree/exact-values.ts'
import type { RootFrames } from './root-frames.ts'
import type { RootedStacks } from './rooted-stacks.ts'
import { rootedStacks } from './rooted-stacks.ts'
import { MixedProfilesError } from '../../model/temporality/mixed-profiles-error.ts'

/** One profile by its row, or several of the same type and unit. A row listed twice counts twice. */
export type ProfileSelection = number | readonly number[]

export interface StackWeights {
  /**
   * Rows of the stack table, or of `rooted` if it exists, that have a sample with a value other than zero, in order
   * of appearance.
   */
  readonly stacks: Int32Array
  /** Their sums, parallel to `stacks`. */
  readonly weight: Float64Array
  /** The same sums modulo 2^64. Undefined if doubles are exact; see exact-values.ts. */
  readonly exact: BigInt64Array | undefined
  /** The sum of the magnitudes of all values: up to EXACT_LIMIT every sum of weights is exact. */
  readonly magnitude: number
  readonly rooted: RootedStacks | undefined
}

export interface StackWeightOptions {
  /** Receives the root frames. Without keys, stacks are not split. */
  readonly roots?: RootFrames
  /** How snapshots of a state are combined. Default: 'average'. */
  readonly snapshots?: SnapshotMode | undefined
}

/** Throws RangeError if a selected profile does not exist or the profiles cannot be added up. */
export function stackWeights(
  profiles: Profiles,
  selection: ProfileSelection,
  { roots, snapshots }: StackWeightOptions = {},
): StackWeights {
  const counted = countedRows(profiles, selectedProfiles(profiles, selection), snapshots)
  const isRooted = roots !== undefined && roots.keys.length > 0
  const rooted = isRooted ? rootedStacks(profiles, counted.rows, roots) : undefined
  const weights = nearWeights(profiles, counted, rooted)
  if (counted.factors !== undefined) return averages(weights)
  return weights.magnitude > EXACT_LIMIT
    ? { ...weights, exact: exactWeights(profiles, counted.rows, weights) }
    : weights
}

/** The weights with their exact column, for sums over several profiles. */
export function withExact(
  profiles: Profiles,
  selection: ProfileSelection,
  weights: StackWeights,
  snapshots?: SnapshotMode,
): StackWeights {
  if (weights.exact !== undefined) return weights
  const { rows } = countedRows(profiles, selectedProfiles(profiles, selection), snapshots)
  return { ...weights, exact: exactWeights(profiles, rows, weights) }
}

/** Rounds each weight so that the sum of all is the rounded sum. Drops stacks that round to zero. */
function averages({ stacks, weight, rooted }: StackWeights): StackWeights {
  const kept = new Int32Array(stacks.length)
  const rounded = new Float64Array(stacks.length)
  let used = 0
  let magnitude = 0
  let exactSum = 0
  let roundedSum = 0
  for (let i = 0; i < stacks.length; i++) {
    exactSum += weight[i]
    const value = Math.round(exactSum) - roundedSum
    if (value === 0) continue
    roundedSum += value
    magnitude += Math.abs(value)
    kept[used] = stacks[i]
    rounded[used++] = value
  }
  const values = rounded.subarray(0, used)
  const exact = BigInt64Array.from(values, value => BigInt.asIntN(64, BigInt(value)))
  return { stacks: kept.subarray(0, used), weight: values, exact, magnitude, rooted }
}

function nearWeights(
  profiles: Profiles,
  { rows: selected, factors }: CountedRows,
  rooted: RootedStacks | undefined,
): StackWeights {
  const { samples, dictionary } = profiles
  const { values } = samples
  const all = (rooted ?? dictionary.stacks).length
  const slots = new Int32Array(all).fill(NONE)
  const stacks = new Int32Array(Math.min(all, sampleCount(profiles, selected)))
  const weight = new Float64Array(stacks.length)
  let used = 0
  let magnitude = 0
  for (const [k, profile] of selected.entries()) {
    const factor = factors?.[k] ?? 1
    const last = profiles.profiles.samplesTo(profile)
    for (let i = profiles.profiles.samplesFrom(profile); i < last; i++) {
      const from = samples.valuesFrom(i)
      const to = samples.valuesTo(i)
      let sum = 0
      let size = 0
      for (let k = from; k < to; k++) {
        const value = int64ToNumber(values.lo(k), values.hi(k))
        sum += value
        size += Math.abs(value)
      }
      if (from === to) sum = size = samples.timestampsTo(i) - samples.timestampsFrom(i)
      if (size === 0) continue
      const stack = rooted === undefined ? samples.stack(i) : rooted.ofSample[i]
      if (slots[stack] === NONE) {
        stacks[used] = stack
        slots[stack] = used++
      }
      weight[slots[stack]] += sum * factor
      magnitude += size
    }
  }
  return { stacks: stacks.subarray(0, used), weight: weight.subarray(0, used), exact: undefined, magnitude, rooted }
}

function exactWeights(
  profiles: Profiles,
  selected: readonly number[],
  { stacks, rooted }: StackWeights,
): BigInt64Array {
  const { samples } = profiles
  const values = samples.values.signed()
  const slots = new Int32Array((rooted ?? profiles.dictionary.stacks).length).fill(NONE)
  for (let slot = 0; slot < stacks.length; slot++) slots[stacks[slot]] = slot
  const exact = new BigInt64Array(stacks.length)
  for (const profile of selected) {
    const last = profiles.profiles.samplesTo(profile)
    for (let i = profiles.profiles.samplesFrom(profile); i < last; i++) {
      const slot = slots[rooted === undefined ? samples.stack(i) : rooted.ofSample[i]]
      if (slot === NONE) continue
      const from = samples.valuesFrom(i)
      const to = samples.valuesTo(i)
      let sum = from === to ? BigInt(samples.timestampsTo(i) - samples.timestampsFrom(i)) : 0n
      // asIntN lets the engine add machine words: 3.5 ns a value instead of 22.
      for (let k = from; k < to; k++) sum = BigInt.asIntN(64, sum + values[k])
      exact[slot] = BigInt.asIntN(64, exact[slot] + sum)
    }
  }
  return exact
}

/** Returns the selected rows. Throws RangeError if a row does not exist or they differ in type or unit. */
export function selectedProfiles(profiles: Profiles, selection: ProfileSelection): readonly number[] {
  const selected = typeof selection === 'number' ? [selection] : selection
  for (const i of selected) {
    if (!Number.isInteger(i) || i < 0 || i >= profiles.profiles.length) {
      throw new RangeError(`profile ${i} is not one of the ${profiles.profiles.length} profiles`)
    }
  }
  const measures = new Set(selected.map(i => measureOf(profiles, i)))
  if (measures.size > 1) throw new MixedProfilesError(`profiles of ${[...measures].join(' and ')} cannot be added up`)
  return selected
}

/** Describes what a profile measures: `cpu in ns`. Different spellings of a unit give the same text. */
export function measureOf(profiles: Profiles, i: number): string {
  const { strings } = profiles.dictionary
  const unit = canonicalUnit(strings.text(profiles.profiles.unit(i)))
  return `${strings.text(profiles.profiles.type(i))} in ${unit}`
}

/** The unit of the first selected profile; empty if none is selected. */
export function unitOf(profiles: Profiles, selection: ProfileSelection): string {
  const [first] = selectedProfiles(profiles, selection)
  return first === undefined ? '' : profiles.dictionary.strings.text(profiles.profiles.unit(first))
}

function sampleCount(profiles: Profiles, selected: readonly number[]): number {
  let count = 0
  for (const i of selected) count += profiles.profiles.samplesTo(i) - profiles.profiles.samplesFrom(i)
  return count
}
