// Reads profiles of the timestamped-events proposal: a file is one Profile message.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { MessageParts, PartsSource } from '../former-drafts/message-parts.ts'
import { ExpansionLimit } from '../expansion-limit.ts'
import { readEvents } from './read-events.ts'
import type { ReadContext } from '../former-drafts/symbol-table-reader.ts'
import { EventTables } from './read-tables.ts'
import { PROFILE, profileShape } from './shapes.ts'
import type { EventsHeader } from './to-profiles.ts'
import { ProfileMaker } from './to-profiles.ts'

/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1

/** `inputBytes` is the size of the original input if these bytes were converted from another form. */
export function readEventProfile(bytes: Uint8Array, options: ReadOptions = {}, inputBytes = bytes.length): ReadResult {
  if (bytes.length > MAX_BYTES) {
    throw new FormatError('events', MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  }
  const source = new PartsSource(bytes, options.lenient ?? false)
  const place = { table: '', row: 0 }
  const notes = new NoteList()
  const builder = new ProfilesBuilder()
  const context: ReadContext = { source, builder, notes, limit: new ExpansionLimit(inputBytes), place }
  try {
    const profile = new MessageParts(source, profileShape).read(0, bytes.length)
    const tables = new EventTables(context, profile)
    const events = readEvents(context, tables, profile)
    new ProfileMaker(context, tables, events, fileHeader(context, tables, profile)).make()
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    throw new FormatError('events', error.offset, error.what, place.table === '' ? '' : `${place.table}[${place.row}]`)
  }
  notes.add('unknown-fields', 'fields that the proposal does not define were dropped', source.unknownFields)
  notes.addDamage('truncated', 'truncated or broken messages were read as far as possible', source.broken)
  return { profiles: builder.build(), notes: notes.list(), generation: '' }
}

/** The proposal has the end time of a profile, the data model its start. */
function fileHeader({ builder, notes }: ReadContext, tables: EventTables, profile: MessageParts): EventsHeader {
  const end = profile.uint64(PROFILE.time_unix_nano)
  let duration = profile.int64(PROFILE.duration_nanos)
  if (duration < 0n) {
    notes.add('negative-duration', 'the negative duration of a profile was dropped')
    duration = 0n
  }
  if (end !== 0n && end < duration) notes.add('starts-before-1970', 'the start of a profile before 1970 was dropped')
  const comments = tables.texts(profile, PROFILE.comment_string_index)
  let comment: AttributeIndex | undefined
  if (comments.length > 0) comment = builder.attribute(ATTRIBUTES.pprofProfileComment, comments)
  return { timeUnixNano: end >= duration ? end - duration : 0n, durationNano: duration, comment }
}
