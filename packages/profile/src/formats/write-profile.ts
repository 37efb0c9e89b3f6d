// Writes profiles in the format of a given name.
import type { Profiles } from '../model/columns/profiles.ts'
import { entriesOf } from '../model/columns/unknown-fields.ts'
import type { Note, WriteOptions, WriteResult } from './format.ts'
import { originalBytes } from './original-bytes.ts'
import { UnknownFormatError } from './read-profile.ts'
import { formatNamed, formats } from './registry.ts'

/**
 * Returns the original file if the profiles contain it in this format: byte for byte, with its compression. So even formats
 * without a writer can be restored. `fresh`, and options that change the form of the output, always write again.
 *
 * Throws UnknownFormatError if the format does not exist or cannot be written.
 */
export function writeProfile(profiles: Profiles, formatName: string, options: WriteOptions = {}): WriteResult {
  const original = setsForm(options) ? undefined : originalBytes(profiles, formatName, options.codecs)
  if (original !== undefined) return { bytes: original, notes: [] }
  const format = formatNamed(formatName)
  if (format?.write !== undefined) {
    const { bytes, notes } = format.write(profiles, options)
    return { bytes, notes: [...notes, ...lostFields(profiles, format.name)] }
  }
  const writable = formats.filter(format => format.write !== undefined).map(({ name }) => name)
  const what =
    format === undefined ? `there is no format ${JSON.stringify(formatName)}` : `${formatName} cannot be written`
  throw new UnknownFormatError(`${what}; these can be written: ${writable.join(', ')}`, writable)
}

/** Only OTLP has a place for fields that a newer version of it defines. Its writer for JSON reports those without a name. */
function lostFields({ unknown, dictionary }: Profiles, formatName: string): Note[] {
  if (formatName === 'otlp' || formatName === 'otlp-json') return []
  let count = 0
  for (const [, rows] of [...entriesOf(unknown), ...entriesOf(dictionary.unknown)]) count += rows.size
  if (count === 0) return []
  return [{ code: 'unknown-fields', count, message: `messages had fields that ${formatName} cannot hold` }]
}

/** Whether the options rule out the original bytes, whose form is fixed. */
function setsForm({ fresh, pretty, type, extended, annotations, generation }: WriteOptions): boolean {
  if (fresh === true || pretty === true || extended === true) return true
  return type !== undefined || annotations !== undefined || generation !== undefined
}
