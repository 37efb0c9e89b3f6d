// The number of observations that a sample stands for. Chance varies this number, not the value itself.
import { int64ToNumber } from '../../model/columns/int64.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { SnapshotMode } from '../../model/temporality/gauge-types.ts'
import { countedRows } from '../../model/temporality/snapshots.ts'
import { canonicalUnit } from '../../model/text/units.ts'
import type { StackWeights } from '../stacks/stack-weights.ts'

/** The variance of the sum of each stack: the sum of the squared weights of its observations. Parallel to `stacks`. */
export function stackVariances(
  profiles: Profiles,
  selection: readonly number[],
  { stacks }: Pick<StackWeights, 'stacks'>,
  snapshots?: SnapshotMode,
): Float64Array {
  const { samples, dictionary } = profiles
  const slots = new Int32Array(dictionary.stacks.length).fill(NONE)
  for (let slot = 0; slot < stacks.length; slot++) slots[stacks[slot]] = slot
  const variance = new Float64Array(stacks.length)
  const { rows, factors } = countedRows(profiles, selection, snapshots)
  for (const [k, profile] of rows.entries()) {
    const factor = factors?.[k] ?? 1
    const weight = observationWeight(profiles, profile)
    const last = profiles.profiles.samplesTo(profile)
    for (let i = profiles.profiles.samplesFrom(profile); i < last; i++) {
      const slot = slots[samples.stack(i)]
      if (slot === NONE) continue
      const times = samples.timestampsTo(i) - samples.timestampsFrom(i)
      const from = samples.valuesFrom(i)
      const to = samples.valuesTo(i)
      let size = from === to ? times : 0
      for (let v = from; v < to; v++) size += Math.abs(int64ToNumber(samples.values.lo(v), samples.values.hi(v)))
      const observations = times > 0 ? times : Math.max(1, size / (weight ?? size))
      if (size > 0) variance[slot] += (factor * factor * size * size) / observations
    }
  }
  return variance
}

/** The value of one observation of a profile. Undefined if it is unknown: then each sample counts as one observation. */
function observationWeight({ profiles, dictionary: { strings } }: Profiles, i: number): number | undefined {
  const unit = canonicalUnit(strings.text(profiles.unit(i)))
  const periodUnit = canonicalUnit(strings.text(profiles.periodUnit(i)))
  const period = Number(profiles.period(i))
  // With a period of one, each unit of a count was observed. A time or a size was measured instead: one value per event, however long.
  if (period > 1 && periodUnit === unit) return period
  // Objects are sampled by their size, so a number of objects is not a number of observations.
  return unit === canonicalUnit('count') && periodUnit !== canonicalUnit('bytes') ? 1 : undefined
}
