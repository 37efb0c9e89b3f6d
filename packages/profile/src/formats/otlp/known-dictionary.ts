// Reads requests whose dictionary is known: only their other fields are decoded. The dictionary and these fields are in one buffer,
// which the next request with the same dictionary overwrites.
//
//   request   resource_profiles | dictionary | resource_profiles        buffer   dictionary | resource_profiles, resource_profiles | …
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { overBytes } from '../../model/columns/over-bytes.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { ByteRange, RepeatedDictionary } from '../known-symbols.ts'
import type { RepeatedBytes } from '../repeated-bytes.ts'
import type { Decoded } from './decode.ts'
import { decodeOtlp } from './decode.ts'
import type { MessageFrame } from './frames.ts'
import type { Generation } from './generations/schema.ts'

const GENERATION = 'v1.11'
/** The number of the field. Field 1 is resource_profiles. */
const DICTIONARY = 2
/** Room for the other fields. It grows if they need more. */
const FIRST_ROOM = 16 << 10
/** A dictionary is not used any more after this many messages that it could not be used for. */
const MAX_FAILURES = 3

/** Undefined if the dictionary is not known, or the message needs the complete reader, for example because it is invalid. */
export function readKnown(
  { bytes, from, to }: MessageFrame,
  generation: Generation,
  dictionaries: RepeatedBytes<RepeatedDictionary>,
): Profiles | undefined {
  if (generation !== GENERATION) return undefined
  const field = dictionaryField(bytes, from, to)
  if (field === undefined) return undefined
  return dictionaries.get(bytes.subarray(field.from, field.to), knownDictionary)?.read(bytes, from, to, field)
}

/** The field with its tag. Undefined if there are several, or fields that OTLP does not define. */
export function dictionaryField(bytes: Uint8Array, from: number, to: number): ByteRange | undefined {
  const reader = new ProtoReader(bytes, from, to)
  let found: ByteRange | undefined
  try {
    for (let start = from; reader.tag(); start = reader.pos) {
      const { field, wireType } = reader
      if (wireType !== LEN || field > DICTIONARY || (field === DICTIONARY && found !== undefined)) return undefined
      reader.skip()
      if (field === DICTIONARY) found = { from: start, to: reader.pos }
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return undefined
  }
  return found
}

function knownDictionary(field: Uint8Array): RepeatedDictionary | undefined {
  const decoded = decodedOf(field, 0, field.length)
  if (decoded === undefined || findBadReference(decoded.profiles) !== undefined) return undefined
  return new KnownDictionary(decoded.profiles)
}

class KnownDictionary implements RepeatedDictionary {
  /** With the dictionary alone. */
  #profiles: Profiles
  /** The end of the dictionary's bytes. */
  readonly #end: number
  #failures = 0

  constructor(profiles: Profiles) {
    const { strings, attributes, stacks, bytes } = profiles.dictionary
    const origin = { strings: strings.length, attributes: attributes.length, stacks: stacks.length }
    this.#end = bytes.length
    this.#profiles = over({ ...profiles, dictionary: { ...profiles.dictionary, origin } }, this.#end + FIRST_ROOM)
  }

  read(source: Uint8Array, from: number, to: number, field: ByteRange): Profiles | undefined {
    if (this.#failures >= MAX_FAILURES) return undefined
    const { bytes } = this.#ofLength(this.#end + to - from - (field.to - field.from))
    bytes.set(source.subarray(from, field.from), this.#end)
    bytes.set(source.subarray(field.to, to), this.#end + field.from - from)
    const decoded = decodedOf(bytes, this.#end, this.#end + to - from - (field.to - field.from))
    const { dictionary, emptyTables } = this.#profiles
    // References into the string table are resolved in other bytes.
    const isUsable = decoded !== undefined && decoded.profiles.dictionary.bytes === bytes
    const profiles = isUsable ? { ...decoded.profiles, dictionary, emptyTables } : undefined
    if (profiles !== undefined && findBadReference(profiles) === undefined) return profiles
    this.#failures++
    return undefined
  }

  #ofLength(length: number): Dictionary {
    const { bytes } = this.#profiles.dictionary
    if (length > bytes.length) this.#profiles = over(this.#profiles, Math.max(length, 2 * bytes.length))
    return this.#profiles.dictionary
  }
}

/** Undefined for invalid messages, and for unknown fields, which are reported. */
function decodedOf(bytes: Uint8Array, from: number, to: number): Decoded | undefined {
  try {
    const decoded = decodeOtlp(bytes, from, to, GENERATION)
    return decoded.unknownFields > 0 || decoded.keysTwice > 0 ? undefined : decoded
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return undefined
  }
}

function over(profiles: Profiles, length: number): Profiles {
  const bytes = new Uint8Array(length)
  bytes.set(profiles.dictionary.bytes)
  return overBytes(profiles, bytes)
}
