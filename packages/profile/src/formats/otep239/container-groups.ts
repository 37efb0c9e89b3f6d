// Decides which consecutive profiles of the model become one container. A container of the document has several types over the
// same samples. If only some of its samples have timestamps, the reader splits each type in two, which belong together again:
//
//   container   types cpu, wall; 2 samples with timestamps, 3 without
//   profiles    cpu without, cpu with, wall without, wall with
import type { Profiles } from '../../model/columns/profiles.ts'
import { ProfileColumn } from '../../model/columns/profiles.ts'
import { isSameHeader } from '../former-drafts/same-header.ts'

export interface ContainerGroup {
  /** The profiles of each part, one for each type. There is one part, or one without timestamps and one with them. */
  readonly parts: readonly (readonly number[])[]
}

/** Returns the group of each profile. `sharedAttributes` returns the attributes that the types of a container share. */
export function containerGroups(
  payload: Profiles,
  sharedAttributes: (profile: number) => readonly (number | string)[],
): readonly ContainerGroup[] {
  const { scopes } = payload
  const groups: ContainerGroup[] = []
  const isAlike = (a: number, b: number): boolean =>
    isSameHeader(payload, a, b, ProfileColumn.periodType, ProfileColumn.idOffset) &&
    sharedAttributes(a).join() === sharedAttributes(b).join()
  for (let scope = 0; scope < scopes.length; scope++) {
    const to = scopes.to(scope)
    for (let from = scopes.from(scope), end: number; from < to; from = end) {
      const isSplit = (i: number): boolean => i + 1 < to && isSplitType(payload, i) && isAlike(i, i + 1)
      const width = isSplit(from) ? 2 : 1
      const continues = (i: number): boolean =>
        i + width <= to &&
        isSplit(i) === (width === 2) &&
        isAlike(i - width, i) &&
        Array.from({ length: width }, (_, part) => i + part).every(row => isSameSamples(payload, row - width, row))
      end = from + width
      while (continues(end)) end += width
      const types = (end - from) / width
      const parts = Array.from({ length: width }, (_, part) =>
        Array.from({ length: types }, (__, type) => from + part + type * width),
      )
      for (let i = from; i < end; i++) groups.push({ parts })
    }
  }
  return groups
}

/** Whether the profile and the next one are the samples of one type without and with timestamps. */
function isSplitType({ profiles, samples }: Profiles, i: number): boolean {
  const hasTimes = (profile: number, expected: boolean): boolean => {
    const to = profiles.samplesTo(profile)
    for (let s = profiles.samplesFrom(profile); s < to; s++) {
      if (samples.timestampsTo(s) > samples.timestampsFrom(s) !== expected) return false
    }
    return to > profiles.samplesFrom(profile)
  }
  const isOneType = profiles.type(i) === profiles.type(i + 1) && profiles.unit(i) === profiles.unit(i + 1)
  return isOneType && hasTimes(i, false) && hasTimes(i + 1, true)
}

/** Whether samples can be joined. A sample of the document has a value of each type and times that all types share. */
function isSameSamples({ profiles, samples }: Profiles, a: number, b: number): boolean {
  const from = profiles.samplesFrom(a)
  const count = profiles.samplesTo(a) - from
  const shift = profiles.samplesFrom(b) - from
  if (profiles.samplesTo(b) - profiles.samplesFrom(b) !== count) return false
  for (let s = from; s < from + count; s++) {
    const other = s + shift
    if (samples.stack(s) !== samples.stack(other) || samples.link(s) !== samples.link(other)) return false
    if (samples.attributesOf(s).join() !== samples.attributesOf(other).join()) return false
    if (!canShareTimes(samples, s, other)) return false
  }
  return true
}

/**
 * Whether both samples have the same times with a value for each or for none, or one value and no times. Times alone are read
 * back in their order. Times with values become one message each and are read back sorted. So a sample of each kind can be
 * joined only if the times are sorted.
 */
function canShareTimes(samples: Profiles['samples'], s: number, other: number): boolean {
  const { timestamps } = samples
  const from = samples.timestampsFrom(s)
  const times = samples.timestampsTo(s) - from
  const shift = samples.timestampsFrom(other) - from
  if (samples.timestampsTo(other) - samples.timestampsFrom(other) !== times) return false
  const values = samples.valuesTo(s) - samples.valuesFrom(s)
  const otherValues = samples.valuesTo(other) - samples.valuesFrom(other)
  if (times === 0) return values === 1 && otherValues === 1
  if (!(values === times || values === 0) || !(otherValues === times || otherValues === 0)) return false
  for (let k = from; k < from + times; k++) {
    if (timestamps.lo(k) !== timestamps.lo(k + shift) || timestamps.hi(k) !== timestamps.hi(k + shift)) return false
  }
  if (values === otherValues) return true
  const all = timestamps.unsigned()
  for (let k = from + 1; k < from + times; k++) if (all[k - 1] > all[k]) return false
  return true
}
