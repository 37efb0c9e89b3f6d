// Writes profiles of OTEP 0239 as ProfilesData. Consecutive profiles that differ only in type and values become one profile
// with several types, as in pprof and in the document.
import { compact } from '../../model/compact/compact.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { writeEnvelope } from '../former-drafts/write-envelope.ts'
import { containerGroups } from './container-groups.ts'
import { generationOf } from './generation.ts'
import { MILLISECONDS, NANOSECONDS } from './unit-mark.ts'
import { ContainerWriter } from './write-container.ts'

/** The document's form, or as generation `v1.3` the released form: timestamps in nanoseconds, and no slices. */
export function writeOtep239(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const isReleased = generationOf(options.generation) === 'v1.3'
  const compacted = compact(profiles)
  const notes = new NoteList()
  const containers = new ContainerWriter(compacted, notes, isReleased ? NANOSECONDS : MILLISECONDS)
  // The first profile determines how the file is read: see stack-order.ts and detect.ts.
  const groups = containerGroups(compacted, profile => containers.sharedAttributes(profile))
  containers.useSlices = !isReleased && groups.length > 0 && containers.canShowOrder(groups[0])
  const bytes = writeEnvelope(compacted, {
    areTogether: (a, b) => groups[a].parts === groups[b].parts,
    write: (writer, scope, from) => containers.write(writer, scope, groups[from]),
  })
  return { bytes, notes: notes.list() }
}
