// Reading JSON that may break off or be broken: as far as it goes, where that is wanted.
import { JsonError } from '../../wire/json/json-reader.ts'
import type { NoteList } from '../format.ts'
import { FormatError } from '../format.ts'

/** Runs `read`. What its reader finds wrong is a note where reading is lenient, a FormatError where not. */
export function readJsonAsFar(format: string, lenient: boolean, notes: NoteList, read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    if (!lenient) throw new FormatError(format, error.offset, error.what, error.path)
    notes.add('truncated', `${error.what} at byte ${error.offset}: what follows is missing`)
  }
}
