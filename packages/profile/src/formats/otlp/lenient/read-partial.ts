// Reads as much of a message as possible: the message itself if that succeeds, otherwise a repaired copy. The copy is made
// only after the fast reader failed, so intact messages cost nothing extra.
import type { Profiles } from '../../../model/columns/profiles.ts'
import { EMPTY_PROFILES } from '../../../model/columns/profiles-draft.ts'
import { ProtoReader } from '../../../wire/protobuf/proto-reader.ts'
import { FormatError, NoteList } from '../../format.ts'
import type { MessageFrame } from '../frames.ts'
import { frameCut } from '../frames.ts'
import type { Generation } from '../generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'
import { dropDanglingReferences } from './drop-dangling.ts'
import { salvageParts } from './salvage.ts'

/** Like `readMessage`, which is passed as an argument because its file imports this one. */
export type ReadMessage = (frame: MessageFrame, generation: Generation, notes: NoteList, prefix: string) => Profiles

/** Throws the FormatError of a file's only message if nothing can be read. */
export function readPartial(
  frame: MessageFrame,
  generation: Generation,
  notes: NoteList,
  prefix: string,
  read: ReadMessage,
): Profiles {
  try {
    const profiles = noted(notes, attempt => read(frame, generation, attempt, prefix))
    if (frame.isCut === true) notes.addDamage('truncated', frameCut(frame))
    return profiles
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    try {
      return noted(notes, attempt => readSalvaged(frame, generation, attempt, error, read))
    } catch (again) {
      if (!(again instanceof FormatError)) throw again
      // An error of the copy has no position in the file.
      if (prefix === '') throw error
      notes.addDamage('skipped-messages', 'unreadable messages were skipped')
      return EMPTY_PROFILES
    }
  }
}

/** Keeps the notes only if `run` succeeds. */
export function noted<Result>(notes: NoteList, run: (attempt: NoteList) => Result): Result {
  const attempt = new NoteList()
  const result = run(attempt)
  notes.addAll(attempt.list())
  return result
}

function readSalvaged(
  { bytes, from, to }: MessageFrame,
  generation: Generation,
  notes: NoteList,
  error: FormatError,
  read: ReadMessage,
): Profiles {
  const salvaged = salvageParts(bytes, from, to, generation, notes)
  if (salvaged.bytes.length === 0) throw error
  const profiles = readWithoutDangling(salvaged.bytes, generation, notes, read)
  if (salvaged.cutAt >= 0)
    notes.addDamage('truncated', truncation(salvaged.cutAt, error.what, salvaged.bytes, generation))
  return profiles
}

/** Reads a well-formed message that may have dangling references. */
export function readWithoutDangling(
  bytes: Uint8Array,
  generation: Generation,
  notes: NoteList,
  read: ReadMessage,
): Profiles {
  const copy = dropDanglingReferences(bytes, generation, notes)
  return read({ bytes: copy, from: 0, to: copy.length }, generation, notes, '')
}

/** The note for a truncated message. `salvaged` is its intact part. */
export function truncation(at: number, what: string, salvaged: Uint8Array, generation: Generation): string {
  const missing = lacksDictionary(salvaged, generation) ? '; the dictionary is missing' : ''
  return `a part is truncated at byte ${at} (${what})${missing}`
}

function lacksDictionary(salvaged: Uint8Array, generation: Generation): boolean {
  const dictionary = messageOf(schemaOf(generation), ROOT).byName.get('dictionary')
  if (dictionary === undefined) return false
  const reader = new ProtoReader(salvaged)
  while (reader.tag()) {
    if (reader.field === dictionary.number) return false
    reader.skip()
  }
  return true
}
