// Writes profiles in the format of a given name.
import type { Profiles } from '../model/columns/profiles.ts'
import { entriesOf } from '../model/columns/unknown-fields.ts'
import { pickProfiles } from '../model/edit/pick-profiles.ts'
import { merge } from '../model/merge/merge.ts'
import { summableRows } from '../model/temporality/cumulative-series.ts'
import type { SnapshotMode } from '../model/temporality/gauge-types.ts'
import { hasRepeatedSnapshots } from '../model/temporality/snapshots.ts'
import type { Note, WriteOptions, WriteResult } from './format.ts'
import { originalBytes } from './original-bytes.ts'
import { UnknownFormatError } from './read-profile.ts'
import { formatNamed, formats } from './registry.ts'

/**
 * Returns the original file if the profiles contain it in this format: byte for byte, with its compression. So even formats
 * without a writer can be restored. `fresh`, and options that change the form of the output, always write again.
 *
 * Throws UnknownFormatError if the format does not exist or cannot be written, and RangeError if it would have to add up
 * profiles that cannot be added up.
 */
export function writeProfile(profiles: Profiles, formatName: string, options: WriteOptions = {}): WriteResult {
  const original = setsForm(options) ? undefined : originalBytes(profiles, formatName, options.codecs)
  if (original !== undefined) return { bytes: original, notes: [] }
  const format = formatNamed(formatName)
  if (format?.write !== undefined) {
    const counted = countedProfiles(profiles, format.name)
    const combined = combinedSnapshots(counted.written, format.name, options.snapshots)
    const { bytes, notes } = format.write(combined.written, options)
    return { bytes, notes: [...counted.notes, ...combined.notes, ...notes, ...lostFields(profiles, format.name)] }
  }
  const writable = formats.filter(format => format.write !== undefined).map(({ name }) => name)
  const what =
    format === undefined ? `there is no format ${JSON.stringify(formatName)}` : `${formatName} cannot be written`
  throw new UnknownFormatError(`${what}; these can be written: ${writable.join(', ')}`, writable)
}

/** The formats that keep the temporality of each profile. In the others, a reader adds all profiles up. */
const WITH_TEMPORALITY: ReadonlySet<string> = new Set(['otlp', 'otlp-json', 'otep239', 'arrays-draft'])

/** The profiles without cumulative ones that a later one supersedes, if the format would add them up. */
function countedProfiles(
  profiles: Profiles,
  formatName: string,
): { readonly written: Profiles; readonly notes: readonly Note[] } {
  const all = Array.from({ length: profiles.profiles.length }, (_, i) => i)
  const counted = WITH_TEMPORALITY.has(formatName) ? all : summableRows(profiles, all)
  const count = all.length - counted.length
  if (count === 0) return { written: profiles, notes: [] }
  const message = 'cumulative profiles were skipped because later ones with the same start time contain them'
  return { written: pickProfiles(profiles, counted), notes: [{ code: 'superseded', count, message }] }
}

/** The formats that contain one sum of all profiles of a type. */
const ADDING_UP: ReadonlySet<string> = new Set([
  'callgrind',
  'dot',
  'flamegraph-html',
  'flamegraph-svg',
  'folded',
  'llvm-sample',
  'pprof',
])

/** The profiles with snapshots of a state combined, if an instance has several and the format would add them up. */
function combinedSnapshots(
  profiles: Profiles,
  formatName: string,
  snapshots: SnapshotMode | undefined,
): { readonly written: Profiles; readonly notes: readonly Note[] } {
  if (ADDING_UP.has(formatName) && hasRepeatedSnapshots(profiles)) {
    const merged = merge([profiles], { snapshots })
    return { written: merged.profiles, notes: merged.notes }
  }
  return { written: profiles, notes: [] }
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
