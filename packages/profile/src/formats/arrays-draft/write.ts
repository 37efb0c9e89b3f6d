// Writes profiles in the arrays draft, with the numbering of the document. Consecutive profiles with the same header become
// the lists of one profile.
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

/** Type, unit and period belong to each list. */
function canShareLists(draft: DraftWriter, payload: Profiles, a: number, b: number): boolean {
  if (!isSameHeader(payload, a, b, ProfileColumn.time, ProfileColumn.period)) return false
  return draft.sharedAttributes(a).join() === draft.sharedAttributes(b).join()
}
