// Reads a message without its invalid profiles: the message itself if that succeeds, otherwise a copy without them. Invalid
// profiles are searched only after the fast reader failed, so valid messages cost nothing extra.
import type { Profiles } from '../../../model/columns/profiles.ts'
import { WireError } from '../../../wire/wire-error.ts'
import type { NoteList, ProfileReject } from '../../format.ts'
import { FormatError } from '../../format.ts'
import type { ReadMessage } from './read-partial.ts'
import { noted } from './read-partial.ts'
import type { Generation } from '../generations/schema.ts'
import type { KnownFaults, FilteredMessage } from './drop-rejected.ts'
import { TooManyFaults, noFaults, dropRejectedProfiles } from './drop-rejected.ts'

/** Each attempt reads the complete message and finds one fault that only the reader detects, such as excessive expansion. */
const MAX_ATTEMPTS = 16

export interface AcceptedProfiles {
  readonly profiles: Profiles
  readonly rejects: readonly ProfileReject[]
}

export interface FilterOptions {
  readonly known?: KnownFaults
  /** Converts paths to the spelling of the format. */
  readonly spell?: (path: string) => string
}

/** Returns undefined if a fault affects more than single profiles. */
export function readWithoutRejected(
  bytes: Uint8Array,
  generation: Generation,
  notes: NoteList,
  read: ReadMessage,
  { known = noFaults(), spell = path => path }: FilterOptions = {},
): AcceptedProfiles | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const filtered = filteredMessage(bytes, generation, known, spell)
    if (filtered === undefined) return undefined
    try {
      const frame = { bytes: filtered.bytes, from: 0, to: filtered.bytes.length }
      const profiles = noted(notes, found => read(frame, generation, found, ''))
      notes.addDamage('skipped-parts', 'invalid parts without a profile were dropped', filtered.skipped)
      return { profiles, rejects: filtered.rejects }
    } catch (error) {
      if (!(error instanceof FormatError) || !noteFault(filtered, generation, error, known)) return undefined
    }
  }
  return undefined
}

function filteredMessage(
  bytes: Uint8Array,
  generation: Generation,
  known: KnownFaults,
  spell: (path: string) => string,
): FilteredMessage | undefined {
  try {
    return dropRejectedProfiles(bytes, generation, known, spell)
  } catch (error) {
    if (error instanceof WireError || error instanceof TooManyFaults) return undefined
    throw error
  }
}

/** Assigns the reader's error to the profile in its path. Returns false if it is in no profile. */
function noteFault(filtered: FilteredMessage, generation: Generation, error: FormatError, known: KnownFaults): boolean {
  const place = /^resource_profiles\[(\d+)\]\.scope_profiles\[(\d+)\]\.profiles\[(\d+)\]\.?(.*)$/.exec(error.path)
  if (place === null) return false
  const [resource, scope, profile] = place.slice(1, 4).map(Number)
  const number = filtered.numberOf(resource, scope, profile)
  const suffix = `, read as ${generation}`
  const what = error.what.endsWith(suffix) ? error.what.slice(0, -suffix.length) : error.what
  known.profiles.set(number, { path: place[4], what })
  return true
}
