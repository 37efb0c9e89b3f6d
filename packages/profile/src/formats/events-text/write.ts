// Writes the text form of the timestamped-events proposal: the bytes that `events` writes, printed as text.
import type { Profiles } from '../../model/columns/profiles.ts'
import { writeEventProfile } from '../events/write.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { printText } from './print.ts'

export function writeEventsText(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const { bytes, notes } = writeEventProfile(profiles)
  return { bytes: printText(bytes, options.pretty ?? false), notes }
}
