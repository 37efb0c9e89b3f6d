// Writes OTLP/JSON of the current generation, without duplicates or orphans in the dictionary.
import { compact } from '../../model/compact/compact.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { encodeOtlpJson } from './encode.ts'

export function writeOtlpJson(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  return { bytes: encodeOtlpJson(compact(profiles), options.pretty === true ? 2 : 0), notes: [] }
}
