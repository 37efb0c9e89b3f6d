// Stores the bytes that profiles were read from in the profiles, as the data format's original_payload.
import { encodeUtf8 } from '../../wire/utf8.ts'
import { bytesWith, overBytes } from '../columns/over-bytes.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, ProfileTable } from '../columns/profiles.ts'

/**
 * Returns the same profiles with the payload in the first one. Only in that one, because a file may hold hundreds of
 * profiles, and each would store the file again. Throws RangeError if there is no profile or no room below 2 GiB.
 */
export function withOriginalPayload(profiles: Profiles, format: string, payload: Uint8Array): Profiles {
  const { dictionary, profiles: table } = profiles
  if (table.length === 0) throw new RangeError('there is no profile to store the original payload in')
  const name = encodeUtf8(format)
  const bytes = bytesWith(profiles, [name, payload])
  const at = dictionary.bytes.length
  const rows = table.ints.slice(table.base, table.base + table.length * PROFILE_STRIDE)
  rows[ProfileColumn.formatOffset] = at
  rows[ProfileColumn.formatLength] = name.length
  rows[ProfileColumn.payloadOffset] = at + name.length
  rows[ProfileColumn.payloadLength] = payload.length
  return {
    ...overBytes(profiles, bytes),
    profiles: new ProfileTable(rows, 0, table.length, bytes, table.attributes),
  }
}
