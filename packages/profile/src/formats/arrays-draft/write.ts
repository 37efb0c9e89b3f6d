// Writes profiles by the arrays draft, as the document numbers it. Profiles that follow one another with the same header
// become the lists of one, as they were where they came from.
import { compact } from '../../model/compact.ts'
import type { Profiles } from '../../model/profiles.ts'
import { ProfileColumn } from '../../model/profiles.ts'
import type { WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { PROFILES_TAG, writeEnvelope } from '../write-envelope.ts'
import { DraftWriter } from './write-profile.ts'

export function writeArraysDraft(profiles: Profiles): WriteResult {
  const compacted = compact(profiles)
  const notes = new NoteList()
  const draft = new DraftWriter(compacted, notes)
  const bytes = writeEnvelope(compacted, (writer, scope) => {
    const from = compacted.scopes.from(scope)
    for (let to = compacted.scopes.to(scope); to > from;) {
      let first = to - 1
      while (first > from && isSameHeader(draft, compacted, first - 1, first)) first--
      const mark = writer.written
      draft.write(writer, first, to)
      writer.messageHeader(PROFILES_TAG, mark)
      to = first
    }
  })
  return { bytes, notes: notes.list() }
}

/** What the lists of a profile have in common. */
function isSameHeader(draft: DraftWriter, { profiles, dictionary }: Profiles, a: number, b: number): boolean {
  for (let column = ProfileColumn.time; column < ProfileColumn.period; column++) {
    if (profiles.column(a, column) !== profiles.column(b, column)) return false
  }
  for (const range of ['idOffset', 'formatOffset', 'payloadOffset'] as const) {
    const column = ProfileColumn[range]
    const length = profiles.column(a, column + 1)
    if (profiles.column(b, column + 1) !== length) return false
    const one = profiles.column(a, column)
    const other = profiles.column(b, column)
    if (one === other) continue
    const { bytes } = dictionary
    for (let i = 0; i < length; i++) if (bytes[one + i] !== bytes[other + i]) return false
  }
  if (profiles.droppedAttributes(a) !== profiles.droppedAttributes(b)) return false
  return draft.sharedAttributes(a).join() === draft.sharedAttributes(b).join()
}
