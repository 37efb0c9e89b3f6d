// A message without the profiles that are bad: read as it is where that works, and otherwise a copy of it in which they are
// missing. The looking for them comes only after the quick reader has failed, so that reading what is not broken costs
// nothing more.
import type { Profiles } from '../../../model/columns/profiles.ts'
import { WireError } from '../../../wire/protobuf/wire-error.ts'
import type { NoteList, ProfileReject } from '../../format.ts'
import { FormatError } from '../../format.ts'
import type { ReadMessage } from './read-partial.ts'
import { noted } from './read-partial.ts'
import type { Generation } from '../generations/schema.ts'
import type { KnownFaults, Sifted } from './drop-rejected.ts'
import { TooManyFaults, noFaults, siftProfiles } from './drop-rejected.ts'

/**
 * What only the reader itself finds, such as a profile that unfolds into too much, is found once in each attempt, and each
 * reads the whole message.
 */
const MAX_ATTEMPTS = 16

export interface SiftedProfiles {
  readonly profiles: Profiles
  readonly rejects: readonly ProfileReject[]
}

export interface SiftOptions {
  readonly known?: KnownFaults
  /** How paths are written. */
  readonly spell?: (path: string) => string
}

/** Undefined where what is wrong concerns more than single profiles. */
export function readSifted(
  bytes: Uint8Array,
  generation: Generation,
  notes: NoteList,
  read: ReadMessage,
  { known = noFaults(), spell = path => path }: SiftOptions = {},
): SiftedProfiles | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const sifted = siftedOf(bytes, generation, known, spell)
    if (sifted === undefined) return undefined
    try {
      const frame = { bytes: sifted.bytes, from: 0, to: sifted.bytes.length }
      const profiles = noted(notes, found => read(frame, generation, found, ''))
      notes.add('skipped-parts', 'broken parts that hold no profile were left out', sifted.skipped)
      return { profiles, rejects: sifted.rejects }
    } catch (error) {
      if (!(error instanceof FormatError) || !noteFault(sifted, generation, error, known)) return undefined
    }
  }
  return undefined
}

function siftedOf(
  bytes: Uint8Array,
  generation: Generation,
  known: KnownFaults,
  spell: (path: string) => string,
): Sifted | undefined {
  try {
    return siftProfiles(bytes, generation, known, spell)
  } catch (error) {
    if (error instanceof WireError || error instanceof TooManyFaults) return undefined
    throw error
  }
}

/** Takes the reader's error for one of the profile that it is in; false where it is in none. */
function noteFault(sifted: Sifted, generation: Generation, error: FormatError, known: KnownFaults): boolean {
  const place = /^resource_profiles\[(\d+)\]\.scope_profiles\[(\d+)\]\.profiles\[(\d+)\]\.?(.*)$/.exec(error.path)
  if (place === null) return false
  const [resource, scope, profile] = place.slice(1, 4).map(Number)
  const number = sifted.numberOf(resource, scope, profile)
  const suffix = `, read as ${generation}`
  const what = error.what.endsWith(suffix) ? error.what.slice(0, -suffix.length) : error.what
  known.profiles.set(number, { path: place[4], what })
  return true
}
