// Sums the samples of a profile that have the same stack, attributes and link, as the data format recommends. Samples with
// timestamps keep all of them in one sample.
import { SequenceInterner } from '../build/intern.ts'
import { GrowingInts } from '../columns/growing-columns.ts'
import { MAX_INT64 } from '../columns/int64.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, ProfileTable, hasUnknownFields } from '../columns/profiles.ts'
import { compact } from '../compact/compact.ts'
import { SamplesDraft } from './pick-observations.ts'

/** Profile, shape, stack and link come before the attributes in a sample's identity. */
const IDENTITY_HEAD = 4

export interface SummedSamples {
  readonly profiles: Profiles
  /** The number of samples that became part of another one. */
  readonly summed: number
}

/** Returns the same profiles if there are no duplicates. Samples with unknown fields are not summed. */
export function sumDuplicates(payload: Profiles): SummedSamples {
  if (hasUnknownFields(payload)) return { profiles: payload, summed: 0 }
  const profiles = compact(payload)
  const groups = groupsOf(profiles)
  if (groups.length === profiles.samples.length) return { profiles: payload, summed: 0 }
  const { profiles: table } = profiles
  const draft = new SamplesDraft(profiles)
  const rows = table.ints.slice(table.base, table.base + table.length * PROFILE_STRIDE)
  let next = 0
  for (let p = 0; p < table.length; p++) {
    for (; next < groups.length && groups[next][0] < table.samplesTo(p); next++) addGroup(profiles, groups[next], draft)
    rows[p * PROFILE_STRIDE + ProfileColumn.sampleEnd] = draft.count
  }
  return {
    profiles: {
      ...profiles,
      profiles: new ProfileTable(rows, 0, table.length, table.bytes, table.attributes),
      samples: draft.build(),
    },
    summed: profiles.samples.length - draft.count,
  }
}

/** The samples of each identity, in order of first occurrence. */
function groupsOf({ profiles, samples }: Profiles): readonly number[][] {
  const interner = new SequenceInterner()
  const groups: number[][] = []
  const key = new GrowingInts()
  const { ints, base } = samples.attributes
  for (let p = 0; p < profiles.length; p++) {
    for (let s = profiles.samplesFrom(p); s < profiles.samplesTo(p); s++) {
      const values = samples.valuesTo(s) - samples.valuesFrom(s)
      const times = samples.timestampsTo(s) - samples.timestampsFrom(s)
      key.length = 0
      // A sample of an invalid shape gets a number of its own.
      const isValid = times === 0 ? values === 1 : values === 0 || values === times
      for (const int of [p, isValid ? Math.sign(values) + 2 * Math.sign(times) : -1 - s]) key.push(int)
      key.push(samples.stack(s))
      key.push(samples.link(s))
      key.pushAll(ints, base + samples.attributesFrom(s), base + samples.attributesTo(s))
      key.array.subarray(IDENTITY_HEAD, key.length).sort()
      const group = interner.intern(key.array, 0, key.length)
      if (group === groups.length) groups.push([s])
      else groups[group].push(s)
    }
  }
  return groups
}

function addGroup({ samples }: Profiles, group: readonly number[], draft: SamplesDraft): void {
  if (group.length === 1 || samples.timestampsTo(group[0]) > samples.timestampsFrom(group[0])) {
    draft.addAll(group)
    return
  }
  const sum = group.reduce((total, sample) => total + samples.total(sample), 0n)
  if (sum <= MAX_INT64 && sum >= -MAX_INT64 - 1n) draft.addValue(group[0], sum)
  else for (const sample of group) draft.addWhole(sample)
}
