// Writes profiles of OTEP 0239 as ProfilesData. Profiles that follow one another and differ in type and values only become one
// with several types, as they are in pprof and in the document.
import { compact } from '../../model/compact.ts'
import type { Profiles } from '../../model/profiles.ts'
import { ProfileColumn } from '../../model/profiles.ts'
import type { WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { PROFILES_TAG, writeEnvelope } from '../write-envelope.ts'
import { ContainerWriter } from './write-container.ts'

export function writeOtep239(profiles: Profiles): WriteResult {
  const compacted = compact(profiles)
  const notes = new NoteList()
  const containers = new ContainerWriter(compacted, notes)
  // What is first in the file tells how it is to be read: see stack-order.ts and detect.ts.
  containers.useSlices = compacted.profiles.length > 0 && containers.canTellOrder(0)
  const bytes = writeEnvelope(compacted, (writer, scope) => {
    const from = compacted.scopes.from(scope)
    for (let to = compacted.scopes.to(scope); to > from;) {
      let first = to - 1
      while (first > from && isSameButForValues(containers, compacted, first - 1, first)) first--
      const mark = writer.written
      containers.write(writer, scope, first, to)
      writer.messageHeader(PROFILES_TAG, mark)
      to = first
    }
  })
  return { bytes, notes: notes.list() }
}

function isSameButForValues(containers: ContainerWriter, payload: Profiles, a: number, b: number): boolean {
  return isSameHeader(containers, payload, a, b) && isSameSamples(payload, a, b)
}

function isSameHeader(containers: ContainerWriter, { profiles, dictionary }: Profiles, a: number, b: number): boolean {
  for (let column = ProfileColumn.periodType; column < ProfileColumn.idOffset; column++) {
    if (profiles.column(a, column) !== profiles.column(b, column)) return false
  }
  for (const range of ['idOffset', 'formatOffset', 'payloadOffset'] as const) {
    const column = ProfileColumn[range]
    const length = profiles.column(a, column + 1)
    if (profiles.column(b, column + 1) !== length) return false
    const one = profiles.column(a, column)
    const other = profiles.column(b, column)
    const { bytes } = dictionary
    for (let i = 0; i < length && one !== other; i++) if (bytes[one + i] !== bytes[other + i]) return false
  }
  if (profiles.droppedAttributes(a) !== profiles.droppedAttributes(b)) return false
  return containers.sharedAttributes(a).join() === containers.sharedAttributes(b).join()
}

/** One value each and no times: only then is a value of each type what a sample has. */
function isSameSamples({ profiles, samples }: Profiles, a: number, b: number): boolean {
  const from = profiles.samplesFrom(a)
  const count = profiles.samplesTo(a) - from
  const shift = profiles.samplesFrom(b) - from
  if (profiles.samplesTo(b) - profiles.samplesFrom(b) !== count) return false
  for (let s = from; s < from + count; s++) {
    for (const sample of [s, s + shift]) {
      if (samples.valuesTo(sample) - samples.valuesFrom(sample) !== 1) return false
      if (samples.timestampsTo(sample) !== samples.timestampsFrom(sample)) return false
    }
    if (samples.stack(s) !== samples.stack(s + shift) || samples.link(s) !== samples.link(s + shift)) return false
    if (samples.attributesOf(s).join() !== samples.attributesOf(s + shift).join()) return false
  }
  return true
}
