// The way back: the bytes of the file that profiles were read from, where the profiles carry them and still say the same.
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
 * The original payload as it was stored, compression included; undefined where there is none of this format, or where
 * reading it no longer gives these profiles. Profiles that were picked, put side by side, merged, renamed or given symbols
 * since are no longer what the payload says, and nothing in them tells so: the payload is read again and compared.
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

/** Leniently, as the first reading may have been; a file that is whole reads the same either way. */
function readAgain(payload: Uint8Array, format: string, codecs: Codecs | undefined): Profiles | undefined {
  try {
    return readProfile(payload, { format, lenient: true, ...(codecs === undefined ? {} : { codecs }) }).profiles
  } catch (error) {
    const broken = [FormatError, CompressionError, EmptyInputError]
    if (broken.some(kind => error instanceof kind)) return undefined
    throw error
  }
}
