// Stores the file that was read as the original payload of its first profile.
import { withOriginalPayload } from '../model/edit/original-payload.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import { ProfileColumn } from '../model/columns/profiles.ts'
import type { Note } from './format.ts'

/** Payload names that the data format defines. All other formats use Hearth's names. */
const PAYLOAD_NAMES: Readonly<Record<string, string>> = { 'perf-data': 'linux_perf' }

/** The value of original_payload_format for a format. */
export function payloadName(formatName: string): string {
  return PAYLOAD_NAMES[formatName] ?? formatName
}

export interface KeptOriginal {
  readonly profiles: Profiles
  readonly notes: readonly Note[]
}

/**
 * Adds `bytes`, compression included, as the original payload. A payload that the profiles already contain stays, because
 * it is closer to the source. In that case, and if `bytes` could not be stored, a note reports it.
 */
export function keepOriginal(profiles: Profiles, formatName: string, bytes: Uint8Array): KeptOriginal {
  if (profiles.profiles.length === 0) return notKept(profiles, 'the file contains no profile')
  if (payloadRows(profiles).length > 0) return notKept(profiles, 'the file already contains an original payload')
  try {
    return { profiles: withOriginalPayload(profiles, payloadName(formatName), bytes), notes: [] }
  } catch (error) {
    if (error instanceof RangeError) return notKept(profiles, error.message)
    throw error
  }
}

/** The rows of profiles with an original payload. */
export function payloadRows({ profiles }: Profiles): number[] {
  const rows: number[] = []
  for (let i = 0; i < profiles.length; i++) if (profiles.column(i, ProfileColumn.payloadLength) > 0) rows.push(i)
  return rows
}

function notKept(profiles: Profiles, why: string): KeptOriginal {
  return { profiles, notes: [{ code: 'original-not-kept', count: 1, message: `the original was not kept: ${why}` }] }
}
