// Profiles to the bytes of a format, by its name.
import type { Profiles } from '../model/profiles.ts'
import type { WriteOptions, WriteResult } from './format.ts'
import { UnknownFormatError } from './read-profile.ts'
import { formatNamed, formats } from './registry.ts'

/** Throws UnknownFormatError where there is no such format or it cannot be written. */
export function writeProfile(profiles: Profiles, formatName: string, options: WriteOptions = {}): WriteResult {
  const format = formatNamed(formatName)
  if (format?.write !== undefined) return format.write(profiles, options)
  const writable = formats.filter(format => format.write !== undefined).map(({ name }) => name)
  const what =
    format === undefined ? `there is no format ${JSON.stringify(formatName)}` : `${formatName} cannot be written`
  throw new UnknownFormatError(`${what}; these can be written: ${writable.join(', ')}`, writable)
}
