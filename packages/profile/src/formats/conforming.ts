// Changes profiles so that validators accept the file that is written from them. Readers keep their input as it is, even if it
// breaks rules of the data format, and so do writers. A converter uses this function between them.
//
//   otlp, otlp-json         ranges contain all timestamps, no resource or scope is empty, equal samples are one sample
//   otep239, arrays-draft   ranges contain all timestamps, and every profile has a time
import type { Profiles } from '../model/columns/profiles.ts'
import { withoutEmptyContainers } from '../model/edit/pick-profiles.ts'
import { sumDuplicates } from '../model/edit/sum-duplicates.ts'
import { withEndTimes, withSampleTimes } from '../model/edit/with-sample-times.ts'
import type { Note } from './format.ts'
import { NoteList } from './format.ts'

const OTLP: ReadonlySet<string> = new Set(['otlp', 'otlp-json'])
const WITH_REQUIRED_TIMES: ReadonlySet<string> = new Set(['otep239', 'arrays-draft'])

/** Codes of notes about changes that lose nothing, and about units of times that were recognised. */
export const LOSSLESS_CHANGES: ReadonlySet<string> = new Set([
  'summed-samples',
  'time-of-file',
  'time-unit',
  'timestamp-unit',
])

export interface ConformingProfiles {
  readonly profiles: Profiles
  readonly notes: readonly Note[]
}

/** `fileTime` is the end of profiles without any time, in formats that require one. Without it they stay without a time. */
export function conforming(profiles: Profiles, format: string, fileTime?: bigint): ConformingProfiles {
  const isOtlp = OTLP.has(format)
  if (!isOtlp && !WITH_REQUIRED_TIMES.has(format)) return { profiles, notes: [] }
  const notes = new NoteList()
  const timed = withSampleTimes(profiles)
  const what = 'time ranges that did not contain the timestamps of their samples were corrected'
  notes.add('time-range', what, timed.changed)
  if (!isOtlp) {
    if (fileTime === undefined) return { profiles: timed.profiles, notes: notes.list() }
    const complete = withEndTimes(timed.profiles, fileTime)
    const message = `profiles without a time got that of their file, because ${format} requires one`
    notes.add('time-of-file', message, complete.changed)
    return { profiles: complete.profiles, notes: notes.list() }
  }
  const filled = withoutEmptyContainers(timed.profiles)
  notes.add('empty-containers', 'resources and scopes without profiles were dropped', filled.dropped)
  const distinct = sumDuplicates(filled.profiles)
  const message = 'samples with the same stack, attributes and link as another were added to it'
  notes.add('summed-samples', message, distinct.summed)
  return { profiles: distinct.profiles, notes: notes.list() }
}
