// Writes OTLP profiles of the current generation, without duplicates or orphans in the dictionary.
import { compact } from '../../model/compact/compact.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { WriteResult } from '../format.ts'
import { encodeOtlp } from './encode.ts'

export function writeOtlp(profiles: Profiles): WriteResult {
  return { bytes: encodeOtlp(compact(profiles)), notes: [] }
}
