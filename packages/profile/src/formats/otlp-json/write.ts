// Writes OTLP/JSON of the current generation, without duplicates or orphans in the dictionary.
import { compact } from '../../model/compact/compact.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { encodeOtlpJson } from './encode.ts'

export function writeOtlpJson(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const { bytes, lostFields } = encodeOtlpJson(compact(profiles), options.pretty === true ? 2 : 0)
  const notes = new NoteList()
  notes.add('unknown-fields', 'fields of a newer version have no name in JSON and were dropped', lostFields)
  return { bytes, notes: notes.list() }
}
