// Writes OTLP profiles of the current generation, without duplicates or orphans in the dictionary.
import { compact } from '../../model/compact/compact.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { encodeOtlp } from './encode.ts'
import { payloadsToTable } from './generations/next.ts'
import { parseGeneration } from './generations/schema.ts'

/** Throws RangeError for a generation that cannot be written. */
export function writeOtlp(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const generation = parseGeneration(options.generation ?? 'v1.11')
  if (generation !== 'v1.11' && generation !== 'next') {
    throw new RangeError(`OTLP ${generation} cannot be written; expected v1.11 or next`)
  }
  const compacted = compact(profiles)
  const notes = new NoteList()
  const bytes = encodeOtlp(generation === 'next' ? payloadsToTable(compacted) : compacted, dropped =>
    notes.add('unknown-fields', 'unknown members of JSON have no number in protobuf and were dropped', dropped),
  )
  return { bytes, notes: notes.list() }
}
