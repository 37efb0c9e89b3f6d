// Reads OTLP profiles as JSON: a single object, a sequence of objects as the Collector's file exporter writes them, or the
// frames it writes when it compresses. Every reference is checked.
import type { Profiles } from '../../model/columns/profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { JsonError } from '../../wire/json/json-error.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { ProfileReject, ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import type { MessageFrame } from '../otlp/frames.ts'
import { frameCut, framesOf, isFramed } from '../otlp/frames.ts'
import type { LegacyGeneration } from '../otlp/legacy/read.ts'
import { legacyToProfiles } from '../otlp/legacy/read.ts'
import type { Steps } from '../otlp/locate.ts'
import { readMessage } from '../otlp/read.ts'
import { noted, readWithoutDangling, truncation } from '../otlp/lenient/read-partial.ts'
import { readWithoutRejected } from '../otlp/lenient/read-without-rejected.ts'
import type { Generation } from '../otlp/generations/schema.ts'
import { parseGeneration } from '../otlp/generations/schema.ts'
import { OlderGeneration } from './decode/column-reader.ts'
import { JsonDecoder } from './decode/decode.ts'
import { ProfilesJoin } from './join.ts'
import { readLegacyMessage } from './legacy-messages.ts'
import type { MessageRange } from './locate.ts'
import { pathAt, positionOf, readerOf } from './locate.ts'
import { isCurrent, sniffLegacy } from './sniff.ts'
import { spelling, toProtobuf } from './lenient/to-protobuf.ts'
import { FaultBudget, salvageJsonParts } from './lenient/salvage.ts'

const FORMAT = 'otlp-json'
/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1

export function readOtlpJson(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (bytes.length > MAX_BYTES)
    throw new FormatError(FORMAT, MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  const wanted = options.generation === undefined ? undefined : parseGeneration(options.generation)
  if (wanted === 'next')
    throw new RangeError('OTLP/JSON of the generation next cannot be read; convert the protobuf form')
  const isInFrames = isFramed(bytes)
  const notes = new NoteList()
  const lenient = options.lenient === true
  const frames = framesOf(bytes, FORMAT, { codecs: options.codecs, notes: lenient ? notes : undefined })
  const reader = new MessagesReader(wanted, isInFrames, notes)
  for (const [i, frame] of frames.entries()) {
    try {
      if (lenient) reader.readPartial(frame, frames.length === 1)
      else if (options.onRejectedProfile === undefined) reader.read(frame)
      else reader.readGood(frame)
    } catch (error) {
      if (frame.bytes === bytes || !(error instanceof FormatError)) throw error
      // Decompressed content has no offset in the file, so the frame's offset is reported.
      const what = `${error.what}, at byte ${error.offset} after decompression`
      throw new FormatError(FORMAT, frameStart(bytes, i), what, error.path)
    }
  }
  for (const reject of reader.rejects) options.onRejectedProfile?.(reject)
  return reader.result()
}

function frameStart(bytes: Uint8Array, frame: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let start = 0
  for (let i = 0; i < frame; i++) start += 4 + view.getUint32(start)
  return start
}

const NEW_LINE = 0x0a
/** The start of each line that the Collector writes. Each is a message. */
const STARTS = ['{"resourceProfiles"', '{"dictionary"'].map(text => encodeUtf8(text))

/** Returns the first line after `from` that starts a message, or the end. */
function nextLine({ bytes, to }: MessageRange, from: number): number {
  for (let at = bytes.indexOf(NEW_LINE, from); at >= 0 && at < to; at = bytes.indexOf(NEW_LINE, at + 1)) {
    if (STARTS.some(start => start.every((byte, i) => bytes[at + 1 + i] === byte))) return at + 1
  }
  return to
}

class MessagesReader {
  /** Profiles that were dropped. */
  readonly rejects: ProfileReject[] = []
  readonly #wanted: Generation | undefined
  readonly #isInFrames: boolean
  readonly #notes: NoteList
  readonly #join = new ProfilesJoin()
  readonly #generations = new Set<Generation>()
  #messages = 0
  #lastWasLegacy = false
  /** Start of the current message. */
  #messageAt = 0
  readonly #budget = new FaultBudget()

  constructor(wanted: Generation | undefined, isInFrames: boolean, notes: NoteList) {
    this.#wanted = wanted
    this.#isInFrames = isInFrames
    this.#notes = notes
  }

  result(): ReadResult {
    return {
      profiles: this.#join.finish(),
      notes: this.#notes.list(),
      generation: [...this.#generations].join(', '),
    }
  }

  /** Reads all messages of a frame. */
  read(frame: MessageFrame): void {
    try {
      let at = frame.from
      do at = this.#readSome({ ...frame, from: at })
      while (at < frame.to)
    } catch (error) {
      if (error instanceof JsonError) throw new FormatError(FORMAT, error.offset, error.what, this.#pathOf(error.path))
      throw error
    }
  }

  /** Reads all messages of a frame without their invalid profiles. */
  readGood(frame: MessageFrame): void {
    let at = frame.from
    do {
      try {
        this.read({ ...frame, from: at })
        return
      } catch (error) {
        if (!(error instanceof FormatError) || !this.#budget.spend()) throw error
        at = this.#readWithoutRejected({ ...frame, from: this.#messageAt }, error)
      }
    } while (at < frame.to)
  }

  /** Returns the start of the next message. */
  #readWithoutRejected(range: MessageRange, error: FormatError): number {
    const converted = toProtobuf(range, this.#wanted)
    if (converted === undefined) throw error
    const { bytes, generation, textGeneration, known, unknownFields, to } = converted
    const spell = spelling(converted)
    const accepted = readWithoutRejected(bytes, generation, this.#notes, readMessage, { known, spell })
    if (accepted === undefined) throw error
    for (const { path, what } of accepted.rejects) this.rejects.push({ path: this.#pathOf(path), what })
    this.#add(accepted.profiles, this.#wanted ?? textGeneration, unknownFields)
    this.#lastWasLegacy = !isCurrent(generation)
    return to
  }

  /** Reads as much of a frame's messages as possible. Throws if nothing of a file's only frame can be read. */
  readPartial(frame: MessageFrame, isOnly: boolean): void {
    let at = frame.from
    do {
      try {
        this.read({ ...frame, from: at })
        if (frame.isCut === true) this.#notes.addDamage('truncated', frameCut(frame))
        return
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        at = this.#readBroken({ ...frame, from: this.#messageAt }, error, isOnly)
      }
    } while (at < frame.to)
  }

  /** Returns the start of the next message. */
  #readBroken(range: MessageRange, error: FormatError, isOnly: boolean): number {
    if (!this.#budget.spend()) {
      this.#notes.addDamage('truncated', `too many errors; reading stopped at byte ${range.from}`)
      return range.to
    }
    const found = new NoteList()
    const salvaged = salvageJsonParts(range, this.#wanted, found, this.#budget)
    const { bytes, generation, unknownFields, cut } = salvaged
    try {
      // An error of the copy has no position in the text.
      if (bytes.length === 0) throw error
      const profiles = readWithoutDangling(bytes, generation, found, readMessage)
      if (cut !== undefined) found.addDamage('truncated', truncation(cut.offset, cut.what, bytes, generation))
      this.#notes.addAll(found.list())
      this.#add(profiles, generation, unknownFields)
    } catch (again) {
      if (!(again instanceof FormatError)) throw again
      if (this.#messages === 0 && isOnly) throw error
      this.#notes.addDamage('skipped-messages', 'unreadable messages were skipped')
    }
    return cut === undefined ? salvaged.to : nextLine(range, cut.offset)
  }

  /** Reads to the end, or to a message of an older generation, which needs a new reader. */
  #readSome(range: MessageRange): number {
    const reader = readerOf(range)
    this.#messageAt = range.from
    const decoder = new JsonDecoder(reader, this.#notes, this.#wanted === undefined)
    // A file without a message is not JSON.
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
      // The following text may not be a message.
      this.#messageAt = reader.offset
    }
    return range.to
  }

  /** After a message of an older generation, the next ones are probably old too, so their names are checked first. */
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
    const { profiles, generation, droppedFields, keptFields, keysTwice } = decoder.message()
    this.#check(profiles, { bytes: reader.bytes, from, to: reader.offset })
    decoder.addNotes()
    this.#add(profiles, this.#wanted ?? generation, droppedFields)
    this.#notes.add('unknown-fields-kept', 'fields that OTLP does not define were kept', keptFields)
    this.#notes.add('key-twice', 'attributes have both key and keyStrindex', keysTwice)
    this.#lastWasLegacy = false
  }

  #readLegacy(reader: JsonReader, generation: LegacyGeneration): void {
    const from = reader.offset
    const { root, unknownFields, to } = readLegacyMessage(reader, generation)
    const message: MessageRange = { bytes: reader.bytes, from, to }
    const fail = (steps: Steps, what: string): never => {
      const { offset, path } = positionOf(message, steps)
      throw new JsonError(message.bytes, offset, `${what}, read as ${generation}`, path)
    }
    try {
      const profiles = noted(this.#notes, notes =>
        legacyToProfiles(root, generation, notes, { fail, inputSize: to - from }),
      )
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
    const { offset, path } = positionOf(message, bad.steps)
    const what = `index ${bad.index} is outside ${bad.table} (length ${bad.length})`
    throw new JsonError(message.bytes, offset, what, path)
  }

  #add(profiles: Profiles, generation: Generation, unknownFields: number): void {
    this.#join.add(profiles)
    this.#generations.add(generation)
    this.#notes.add('unknown-fields', 'fields that OTLP does not define were dropped', unknownFields)
    this.#messages++
  }

  /** Adds the number of the message if there are several. */
  #pathOf(path: string): string {
    if (!this.#isInFrames && this.#messages === 0) return path
    return path === '' ? `message[${this.#messages}]` : `message[${this.#messages}].${path}`
  }
}
