// Reads JSON that may be cut off or broken.
import { JsonError } from '../../wire/json/json-reader.ts'
import type { NoteList } from '../format.ts'
import { FormatError } from '../format.ts'

/** Runs `read`. A JsonError becomes a note if `lenient`, and a FormatError otherwise. */
export function readPartialJson(format: string, lenient: boolean, notes: NoteList, read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    if (!lenient) throw new FormatError(format, error.offset, error.what, error.path)
    notes.addDamage('truncated', `${error.what} at byte ${error.offset}; everything after it is missing`)
  }
}
