// Reads OTLP profiles of every generation: finds the messages of a file, detects their generations, decodes them, and checks
// every reference.
import { concat } from '../../model/merge/concat.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { hasUnknownFields } from '../../model/columns/profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { plainBytes } from '../../wire/plain-bytes.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { ProfileReject, ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { decodeOtlp } from './decode.ts'
import type { MessageFrame } from './frames.ts'
import { framesOf } from './frames.ts'
import { readKnown } from './known-dictionary.ts'
import { readLegacy } from './legacy/read.ts'
import { offsetOf, pathAt } from './locate.ts'
import { noted, readPartial } from './lenient/read-partial.ts'
import { readWithoutRejected } from './lenient/read-without-rejected.ts'
import { isCurrent } from './lenient/reference-rules.ts'
import { payloadsFromTable } from './generations/next.ts'
import type { Generation } from './generations/schema.ts'
import { parseGeneration } from './generations/schema.ts'
import { sniffGeneration } from './generations/sniff.ts'

/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1

export function readOtlp(input: Uint8Array, options: ReadOptions = {}): ReadResult {
  const bytes = plainBytes(input)
  if (bytes.length > MAX_BYTES)
    throw new FormatError('otlp', MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  const wanted = options.generation === undefined ? undefined : parseGeneration(options.generation)
  const notes = new NoteList()
  const generations = new Set<Generation>()
  const lenient = options.lenient === true
  const rejects = options.onRejectedProfile === undefined ? undefined : ([] as ProfileReject[])
  const frames = framesOf(bytes, 'otlp', { codecs: options.codecs, notes: lenient ? notes : undefined })
  const messages = frames.map((frame, i) => {
    const generation = wanted ?? sniffGeneration(frame.bytes, frame.from, frame.to).generation
    generations.add(generation)
    const prefix = frames.length > 1 ? `message[${i}].` : ''
    const known = options.symbols === undefined ? undefined : readKnown(frame, generation, options.symbols.dictionaries)
    // Profiles with the same dictionary would overwrite each other.
    if (known !== undefined && frames.length === 1) return known
    if (lenient) return readPartial(frame, generation, notes, prefix, readMessage)
    if (rejects !== undefined) return readGood(frame, generation, notes, prefix, rejects)
    return readMessage(frame, generation, notes, prefix)
  })
  for (const reject of rejects ?? []) options.onRejectedProfile?.(reject)
  return { profiles: concat(messages), notes: notes.list(), generation: [...generations].join(', ') }
}

/** Drops invalid profiles and adds them to `rejects`. */
function readGood(
  frame: MessageFrame,
  generation: Generation,
  notes: NoteList,
  prefix: string,
  rejects: ProfileReject[],
): Profiles {
  try {
    return noted(notes, attempt => readMessage(frame, generation, attempt, prefix))
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    const accepted = readWithoutRejected(frame.bytes.subarray(frame.from, frame.to), generation, notes, readMessage)
    if (accepted === undefined) throw error
    for (const { path, what } of accepted.rejects) {
      rejects.push({ path: prefix + path, what: `${what}, read as ${generation}` })
    }
    return accepted.profiles
  }
}

/** Throws FormatError with a path that starts with `prefix`. */
export function readMessage(frame: MessageFrame, generation: Generation, notes: NoteList, prefix: string): Profiles {
  const { bytes, from, to } = frame
  try {
    if (!isCurrent(generation)) {
      return readLegacy(bytes, from, to, generation, notes)
    }
    const {
      profiles: decoded,
      unknownFields,
      keysTwice,
      areUnknownFieldsKept,
    } = decodeOtlp(bytes, from, to, generation)
    checkReferences(decoded, frame, generation, prefix)
    const profiles = generation === 'next' ? payloadsFromTable(decoded, notes) : decoded
    notes.add('key-twice', 'attributes have both key and key_strindex', keysTwice)
    if (!areUnknownFieldsKept) {
      notes.add('unknown-fields', `fields that OTLP ${generation} does not define were dropped`, unknownFields)
    } else if (generation === 'v1.11' || hasUnknownFields(profiles)) {
      notes.add('unknown-fields-kept', `fields that OTLP ${generation} does not define were kept`, unknownFields)
    }
    return profiles
  } catch (error) {
    if (error instanceof FormatError && prefix !== '' && !error.path.startsWith(prefix)) {
      throw new FormatError('otlp', error.offset, error.what, prefix + error.path)
    }
    if (!(error instanceof WireError)) throw error
    const path = pathAt(bytes.subarray(from, to), generation, error.offset - from)
    throw new FormatError('otlp', error.offset, `${error.what}, read as ${generation}`, prefix + path)
  }
}

function checkReferences(
  profiles: Profiles,
  { bytes, from, to }: MessageFrame,
  generation: Generation,
  prefix: string,
): void {
  const bad = findBadReference(profiles)
  if (bad === undefined) return
  const offset = from + offsetOf(bytes.subarray(from, to), generation, bad.steps)
  const what = `index ${bad.index} is outside ${bad.table} (length ${bad.length}), read as ${generation}`
  throw new FormatError('otlp', offset, what, prefix + bad.path)
}
