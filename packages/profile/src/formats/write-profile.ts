// Profiles to the bytes of a format, by its name.
import type { Profiles } from '../model/columns/profiles.ts'
import type { WriteOptions, WriteResult } from './format.ts'
import { originalBytes } from './original-bytes.ts'
import { UnknownFormatError } from './read-profile.ts'
import { formatNamed, formats } from './registry.ts'

/**
 * Profiles that carry the file they were read from, in this format, become that file again: byte for byte, with the
 * compression it had. So even formats that can only be read can be had back. Options that ask for a certain form of the
 * output, and `fresh`, write anew.
 *
 * Throws UnknownFormatError where there is no such format or it cannot be written.
 */
export function writeProfile(profiles: Profiles, formatName: string, options: WriteOptions = {}): WriteResult {
  const original = asksForForm(options) ? undefined : originalBytes(profiles, formatName, options.codecs)
  if (original !== undefined) return { bytes: original, notes: [] }
  const format = formatNamed(formatName)
  if (format?.write !== undefined) return format.write(profiles, options)
  const writable = formats.filter(format => format.write !== undefined).map(({ name }) => name)
  const what =
    format === undefined ? `there is no format ${JSON.stringify(formatName)}` : `${formatName} cannot be written`
  throw new UnknownFormatError(`${what}; these can be written: ${writable.join(', ')}`, writable)
}

/** The original has the form it has. */
function asksForForm({ fresh, pretty, type, extended, annotations }: WriteOptions): boolean {
  return fresh === true || pretty === true || extended === true || type !== undefined || annotations !== undefined
}
