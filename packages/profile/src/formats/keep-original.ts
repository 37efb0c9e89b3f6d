// Keeping what was read beside what it was read as: the file itself becomes the original payload of its first profile.
import { withOriginalPayload } from '../model/edit/original-payload.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import { ProfileColumn } from '../model/columns/profiles.ts'
import type { Note } from './format.ts'

/** The data format has names of its own for some; the others go by Hearth's. */
const PAYLOAD_NAMES: Readonly<Record<string, string>> = { 'perf-data': 'linux_perf' }

/** What original_payload_format says for a format. */
export function payloadName(formatName: string): string {
  return PAYLOAD_NAMES[formatName] ?? formatName
}

export interface KeptOriginal {
  readonly profiles: Profiles
  readonly notes: readonly Note[]
}

/**
 * `bytes` as they were stored, compression included. A payload that the profiles carry already stays: it is nearer to the
 * source than the file around it. A note says so where `bytes` could not be kept.
 */
export function keepOriginal(profiles: Profiles, formatName: string, bytes: Uint8Array): KeptOriginal {
  if (profiles.profiles.length === 0) return notKept(profiles, 'there is no profile to carry it')
  if (payloadRows(profiles).length > 0) return notKept(profiles, 'the file carries an original payload already')
  try {
    return { profiles: withOriginalPayload(profiles, payloadName(formatName), bytes), notes: [] }
  } catch (error) {
    if (error instanceof RangeError) return notKept(profiles, error.message)
    throw error
  }
}

/** The profiles that carry an original payload. */
export function payloadRows({ profiles }: Profiles): number[] {
  const rows: number[] = []
  for (let i = 0; i < profiles.length; i++) if (profiles.column(i, ProfileColumn.payloadLength) > 0) rows.push(i)
  return rows
}

function notKept(profiles: Profiles, why: string): KeptOriginal {
  return { profiles, notes: [{ code: 'original-not-kept', count: 1, message: `the original was not kept: ${why}` }] }
}
