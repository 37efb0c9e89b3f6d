// Reads OTLP profiles as JSON: a single object, one object after another as the Collector's file exporter writes them, or the
// frames it writes when it compresses. Every reference is checked before anybody can follow it.
import type { Profiles } from '../../model/profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { JsonError } from '../../wire/json-error.ts'
import type { JsonReader } from '../../wire/json-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import type { Frame } from '../otlp/frames.ts'
import { framesOf, isFramed } from '../otlp/frames.ts'
import type { LegacyGeneration } from '../otlp/legacy.ts'
import { legacyToProfiles } from '../otlp/legacy.ts'
import type { Steps } from '../otlp/locate.ts'
import type { Generation } from '../otlp/schema.ts'
import { parseGeneration } from '../otlp/schema.ts'
import { OlderGeneration } from './column-reader.ts'
import { JsonDecoder } from './decode.ts'
import { ProfilesJoin } from './join.ts'
import { readLegacyMessage } from './legacy-messages.ts'
import type { MessageRange } from './locate.ts'
import { pathAt, placeOf, readerOf } from './locate.ts'
import { isCurrent, sniffLegacy } from './sniff.ts'

const FORMAT = 'otlp-json'
/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1

export function readOtlpJson(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (bytes.length > MAX_BYTES)
    throw new FormatError(FORMAT, MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  const wanted = options.generation === undefined ? undefined : parseGeneration(options.generation)
  const isInFrames = isFramed(bytes)
  const reader = new MessagesReader(wanted, isInFrames)
  for (const [i, frame] of framesOf(bytes, FORMAT, options.codecs).entries()) {
    try {
      reader.read(frame)
    } catch (error) {
      if (frame.bytes === bytes || !(error instanceof FormatError)) throw error
      // What was unpacked has no place in the file; the frame has.
      const what = `${error.what}, at byte ${error.offset} of what is unpacked`
      throw new FormatError(FORMAT, frameStart(bytes, i), what, error.path)
    }
  }
  return reader.result()
}

function frameStart(bytes: Uint8Array, frame: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let start = 0
  for (let i = 0; i < frame; i++) start += 4 + view.getUint32(start)
  return start
}

class MessagesReader {
  readonly #wanted: Generation | undefined
  readonly #isInFrames: boolean
  readonly #notes = new NoteList()
  readonly #join = new ProfilesJoin()
  readonly #generations = new Set<Generation>()
  #messages = 0
  #lastWasLegacy = false

  constructor(wanted: Generation | undefined, isInFrames: boolean) {
    this.#wanted = wanted
    this.#isInFrames = isInFrames
  }

  result(): ReadResult {
    return {
      profiles: this.#join.finish(),
      notes: this.#notes.list(),
      generation: [...this.#generations].join(', '),
    }
  }

  /** All messages of a frame. */
  read(frame: Frame): void {
    try {
      let at = frame.from
      do at = this.#readSome({ ...frame, from: at })
      while (at < frame.to)
    } catch (error) {
      if (error instanceof JsonError) throw new FormatError(FORMAT, error.offset, error.what, this.#pathOf(error.path))
      throw error
    }
  }

  /** Up to the end, or to a message that turns out to be of an older generation, which starts over with a new reader. */
  #readSome(range: MessageRange): number {
    const reader = readerOf(range)
    const decoder = new JsonDecoder(reader, this.#notes, this.#wanted === undefined)
    // A file without any message is not JSON.
    if (reader.peek() === 'end' && this.#messages === 0) reader.beginObject()
    while (reader.peek() !== 'end') {
      const from = reader.offset
      const legacy = this.#legacyOf(reader)
      try {
        if (legacy === undefined) this.#readCurrent(decoder, reader)
        else this.#readLegacy(reader, legacy)
      } catch (error) {
        if (!(error instanceof OlderGeneration)) throw error
        this.#lastWasLegacy = true
        return from
      }
    }
    return range.to
  }

  /** Behind a message of an older generation there are more of them, most likely, so that names come first there. */
  #legacyOf(reader: JsonReader): LegacyGeneration | undefined {
    if (this.#wanted !== undefined) return isCurrent(this.#wanted) ? undefined : this.#wanted
    if (!this.#lastWasLegacy) return undefined
    const from = reader.offset
    const legacy = sniffLegacy(reader)
    reader.offset = from
    return legacy
  }

  #readCurrent(decoder: JsonDecoder, reader: JsonReader): void {
    const from = reader.offset
    const { profiles, generation, unknownFields } = decoder.message()
    this.#check(profiles, { bytes: reader.bytes, from, to: reader.offset })
    this.#add(profiles, this.#wanted ?? generation, unknownFields)
    this.#lastWasLegacy = false
  }

  #readLegacy(reader: JsonReader, generation: LegacyGeneration): void {
    const from = reader.offset
    const { root, unknownFields, to } = readLegacyMessage(reader, generation)
    const message: MessageRange = { bytes: reader.bytes, from, to }
    const fail = (steps: Steps, what: string): never => {
      const { offset, path } = placeOf(message, steps)
      throw new JsonError(message.bytes, offset, `${what}, read as ${generation}`, path)
    }
    try {
      const profiles = legacyToProfiles(root, generation, this.#notes, { fail, inputSize: to - from })
      this.#add(profiles, generation, unknownFields)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      throw new JsonError(message.bytes, error.offset, error.what, pathAt(message, error.offset))
    }
    reader.offset = to
  }

  #check(profiles: Profiles, message: MessageRange): void {
    const bad = findBadReference(profiles)
    if (bad === undefined) return
    const { offset, path } = placeOf(message, bad.steps)
    const what = `index ${bad.index} is outside of ${bad.table} of ${bad.length}`
    throw new JsonError(message.bytes, offset, what, path)
  }

  #add(profiles: Profiles, generation: Generation, unknownFields: number): void {
    this.#join.add(profiles)
    this.#generations.add(generation)
    this.#notes.add('unknown-fields', 'fields that OTLP does not define were left out', unknownFields)
    this.#messages++
  }

  /** Behind the number of the message, where there are several. */
  #pathOf(path: string): string {
    if (!this.#isInFrames && this.#messages === 0) return path
    return path === '' ? `message[${this.#messages}]` : `message[${this.#messages}].${path}`
  }
}
