// Returns the original bytes of the file that profiles were read from, if the profiles are still the same.
import { contentEqual } from '../model/compare/content-equal.ts'
import { withOriginalPayload } from '../model/edit/original-payload.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import type { Codecs } from '../wire/compression/compression.ts'
import { CompressionError } from '../wire/compression/compression.ts'
import { FormatError } from './format.ts'
import { payloadName, payloadRows } from './keep-original.ts'
import { EmptyInputError, readProfile } from './read-profile.ts'
import { formatNamed } from './registry.ts'

/**
 * Returns the original payload, compression included. Returns undefined if there is none of this format, or if reading it
 * gives other profiles. Profiles may have been picked, concatenated, merged, renamed or symbolized since they were read,
 * and nothing records that. So the payload is read again and compared.
 */
export function originalBytes(profiles: Profiles, formatName: string, codecs?: Codecs): Uint8Array | undefined {
  const { profiles: table } = profiles
  const rows = payloadRows(profiles)
  if (rows.length !== 1 || rows[0] !== 0) return undefined
  if (table.originalPayloadFormat(0) !== payloadName(formatName)) return undefined
  if (formatNamed(formatName)?.read === undefined) return undefined
  const payload = table.originalPayload(0)
  const again = readAgain(payload, formatName, codecs)
  if (again === undefined || again.profiles.length !== table.length) return undefined
  const carrying = withOriginalPayload(again, payloadName(formatName), payload)
  return contentEqual(carrying, profiles) ? payload : undefined
}

/** Reads leniently, because the first read may have been lenient. Intact files read the same either way. */
function readAgain(payload: Uint8Array, format: string, codecs: Codecs | undefined): Profiles | undefined {
  try {
    return readProfile(payload, { format, lenient: true, ...(codecs === undefined ? {} : { codecs }) }).profiles
  } catch (error) {
    const broken = [FormatError, CompressionError, EmptyInputError]
    if (broken.some(kind => error instanceof kind)) return undefined
    throw error
  }
}
