// Writes profiles by the arrays draft, as the document numbers it. Profiles that follow one another with the same header
// become the lists of one, as they were where they came from.
import { compact } from '../../model/compact/compact.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ProfileColumn } from '../../model/columns/profiles.ts'
import type { WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { isSameHeader } from '../former-drafts/same-header.ts'
import { writeEnvelope } from '../former-drafts/write-envelope.ts'
import { DraftWriter } from './write-profile.ts'

export function writeArraysDraft(profiles: Profiles): WriteResult {
  const compacted = compact(profiles)
  const notes = new NoteList()
  const draft = new DraftWriter(compacted, notes)
  const bytes = writeEnvelope(compacted, {
    areTogether: (a, b) => canShareLists(draft, compacted, a, b),
    write: (writer, _scope, from, to) => draft.write(writer, from, to),
  })
  return { bytes, notes: notes.list() }
}

/** Type, unit and period are told of each list. */
function canShareLists(draft: DraftWriter, payload: Profiles, a: number, b: number): boolean {
  if (!isSameHeader(payload, a, b, ProfileColumn.time, ProfileColumn.period)) return false
  return draft.sharedAttributes(a).join() === draft.sharedAttributes(b).join()
}
