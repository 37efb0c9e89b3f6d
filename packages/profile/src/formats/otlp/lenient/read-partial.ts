// A message as far as it goes: read as it is where that works, and otherwise a copy of it in which all is well. The copying
// comes only after the quick reader has failed, so that reading what is not broken costs nothing more.
import type { Profiles } from '../../../model/columns/profiles.ts'
import { EMPTY_PROFILES } from '../../../model/columns/profiles-draft.ts'
import { ProtoReader } from '../../../wire/protobuf/proto-reader.ts'
import { FormatError, NoteList } from '../../format.ts'
import type { Frame } from '../frames.ts'
import { frameCut } from '../frames.ts'
import type { Generation } from '../generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'
import { soundReferences } from './drop-dangling.ts'
import { wholeParts } from './salvage.ts'

/** As `readMessage`; given, because that file already needs this one. */
export type ReadMessage = (frame: Frame, generation: Generation, notes: NoteList, prefix: string) => Profiles

/** Throws the FormatError of a file's only message if nothing of it can be read. */
export function readAsFar(
  frame: Frame,
  generation: Generation,
  notes: NoteList,
  prefix: string,
  read: ReadMessage,
): Profiles {
  try {
    const profiles = noted(notes, attempt => read(frame, generation, attempt, prefix))
    if (frame.isCut === true) notes.add('truncated', frameCut(frame))
    return profiles
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    try {
      return noted(notes, attempt => readMended(frame, generation, attempt, error, read))
    } catch (again) {
      if (!(again instanceof FormatError)) throw again
      // What the copy was refused for has no place in the file.
      if (prefix === '') throw error
      notes.add('skipped-messages', 'messages of which nothing could be read were left out')
      return EMPTY_PROFILES
    }
  }
}

/** Keeps the notes only of what succeeds. */
export function noted<Result>(notes: NoteList, run: (attempt: NoteList) => Result): Result {
  const attempt = new NoteList()
  const result = run(attempt)
  for (const { code, message, count } of attempt.list()) notes.add(code, message, count)
  return result
}

function readMended(
  { bytes, from, to }: Frame,
  generation: Generation,
  notes: NoteList,
  error: FormatError,
  read: ReadMessage,
): Profiles {
  const whole = wholeParts(bytes, from, to, generation, notes)
  if (whole.bytes.length === 0) throw error
  const profiles = readSound(whole.bytes, generation, notes, read)
  if (whole.cutAt >= 0) notes.add('truncated', truncation(whole.cutAt, error.what, whole.bytes, generation))
  return profiles
}

/** Reads a well-formed message, whatever its references lead to. */
export function readSound(bytes: Uint8Array, generation: Generation, notes: NoteList, read: ReadMessage): Profiles {
  const sound = soundReferences(bytes, generation, notes)
  return read({ bytes: sound, from: 0, to: sound.length }, generation, notes, '')
}

/** What a note says of a message that breaks off. `whole` is what there is of it. */
export function truncation(at: number, what: string, whole: Uint8Array, generation: Generation): string {
  const missing = lacksDictionary(whole, generation) ? '; the dictionary never came' : ''
  return `a part of it breaks off at byte ${at} (${what})${missing}`
}

function lacksDictionary(whole: Uint8Array, generation: Generation): boolean {
  const dictionary = messageOf(schemaOf(generation), ROOT).byName.get('dictionary')
  if (dictionary === undefined) return false
  const reader = new ProtoReader(whole)
  while (reader.tag()) {
    if (reader.field === dictionary.number) return false
    reader.skip()
  }
  return true
}
