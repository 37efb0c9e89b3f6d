// Writes profiles of OTEP 0239 as ProfilesData. Consecutive profiles that differ only in type and values become one profile
// with several types, as in pprof and in the document.
import { compact } from '../../model/compact/compact.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ProfileColumn } from '../../model/columns/profiles.ts'
import type { WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { isSameHeader } from '../former-drafts/same-header.ts'
import { writeEnvelope } from '../former-drafts/write-envelope.ts'
import { ContainerWriter } from './write-container.ts'

export function writeOtep239(profiles: Profiles): WriteResult {
  const compacted = compact(profiles)
  const notes = new NoteList()
  const containers = new ContainerWriter(compacted, notes)
  // The first profile determines how the file is read: see stack-order.ts and detect.ts.
  containers.useSlices = compacted.profiles.length > 0 && containers.canShowOrder(0)
  const bytes = writeEnvelope(compacted, {
    areTogether: (a, b) => isSameButForValues(containers, compacted, a, b),
    write: (writer, scope, from, to) => containers.write(writer, scope, from, to),
  })
  return { bytes, notes: notes.list() }
}

function isSameButForValues(containers: ContainerWriter, payload: Profiles, a: number, b: number): boolean {
  if (!isSameHeader(payload, a, b, ProfileColumn.periodType, ProfileColumn.idOffset)) return false
  return containers.sharedAttributes(a).join() === containers.sharedAttributes(b).join() && isSameSamples(payload, a, b)
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
