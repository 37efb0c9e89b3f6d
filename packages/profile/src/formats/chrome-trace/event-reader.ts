// Reads the events of a trace in order. Keys have no order, and the args can be read only once the kind of event is
// known. The reader notes their position, and a second reader goes back there.
import type { LocationIndex, StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { int64 } from '../../model/columns/int64.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { JsonReader as Reader } from '../../wire/json/json-reader.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import type { NoteList } from '../format.ts'
import { BOUNDS_NAME } from './attribute-names.ts'
import { FrameFields } from './frame-fields.ts'
import type { TraceProcess, Trace, V8Event } from './trace.ts'
import type { Id } from './event-id.ts'
import { BEGIN, COMPLETE, END } from './trace.ts'
import { readMicros } from './v8-profile.ts'

/** The args of DevTools nest about ten levels deep. */
export const MAX_DEPTH = 1000
const NO_NAME = new Uint8Array(0)

export class TraceEventReader {
  readonly #reader: JsonReader
  readonly #args: JsonReader
  readonly #builder: ProfilesBuilder
  readonly #trace: Trace
  readonly #notes: NoteList
  readonly #fields: FrameFields
  // Fields of the event that is being read.
  #phase = ''
  #name: Uint8Array = NO_NAME
  #process: Id
  #thread: Id
  #id: Id
  #time: bigint | undefined
  #duration: bigint | undefined
  #threadDuration: bigint | undefined
  #weight = 1n
  #frame: string | undefined
  #argsAt = -1

  constructor(reader: JsonReader, builder: ProfilesBuilder, trace: Trace, notes: NoteList) {
    this.#reader = reader
    this.#args = new Reader(reader.bytes, { format: 'chrome-trace', maxDepth: MAX_DEPTH })
    this.#builder = builder
    this.#trace = trace
    this.#notes = notes
    this.#fields = new FrameFields(builder)
  }

  /** Reads an event of `traceEvents`, or with `isSample` an entry of the trace's `samples`. */
  read(isSample: boolean): void {
    const reader = this.#reader
    if (reader.peek() !== 'object') {
      reader.skip()
      return this.#notes.add('invalid-events', 'events that are not objects are skipped')
    }
    this.#phase = isSample ? 'P' : ''
    this.#name = NO_NAME
    this.#process = this.#thread = this.#id = undefined
    this.#time = this.#duration = this.#threadDuration = this.#frame = undefined
    this.#weight = 1n
    this.#argsAt = -1
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) this.#member(key, isSample)
    this.#take()
  }

  #member(key: string, isSample: boolean): void {
    const reader = this.#reader
    switch (key) {
      case 'ph':
        if (!isSample && reader.peek() === 'string') this.#phase = reader.string()
        return
      case 'name':
        if (reader.peek() === 'string') this.#name = reader.stringBytes()
        return
      case 'pid':
        this.#process = readId(reader)
        return
      case 'tid':
        this.#thread = readId(reader)
        return
      case 'id':
        this.#id = readId(reader)
        return
      case 'ts':
        if (!reader.tryNull()) this.#time = readMicros(reader)
        return
      case 'dur':
        if (!reader.tryNull()) this.#duration = readMicros(reader)
        return
      case 'tdur':
        if (!reader.tryNull()) this.#threadDuration = readMicros(reader)
        return
      case 'weight':
        this.#weight = this.#readWeight()
        return
      case 'sf': {
        const frame = readId(reader)
        if (frame !== undefined) this.#frame = String(frame)
        return
      }
      case 'args':
        if (reader.peek() === 'object') this.#argsAt = reader.offset
    }
  }

  /** Adds the event to its thread or process. */
  #take(): void {
    const { process } = this
    switch (this.#phase) {
      case 'B':
        return this.#span(BEGIN, this.#location(), 0n)
      case 'E':
        return this.#span(END, 0, 0n)
      case 'X':
        return this.#span(COMPLETE, this.#location(), this.#duration ?? this.#threadDuration ?? 0n)
      case 'M':
        return this.#metadata(process)
      case 'P':
      case 'I':
      case 'i':
        return this.#sampled(process)
      default:
        this.#notes.add('other-events', 'events without a duration or a stack are skipped')
    }
  }

  get process(): TraceProcess {
    return this.#trace.process(this.#process)
  }

  #span(kind: number, location: number, duration: bigint): void {
    const thread = this.process.thread(this.#thread)
    if (this.#time === undefined) return this.#notes.add('missing-times', 'events without a time are skipped')
    if (duration < 0n) return this.#notes.add('negative-durations', 'events with a negative duration are skipped')
    thread.add(kind, location, this.#nameRow(), this.#time, duration)
  }

  #sampled(process: TraceProcess): void {
    const name = this.#name.length <= 16 ? decodeUtf8(this.#name, 0, this.#name.length) : ''
    if (name === 'Profile' || name === 'ProfileChunk' || name === 'CpuProfile') return this.#v8(process, name)
    if (name === BOUNDS_NAME) return
    if (this.#phase !== 'P' || this.#frame === undefined) {
      return this.#notes.add('other-events', 'events without a duration or a stack are skipped')
    }
    if (this.#time === undefined) return this.#notes.add('missing-times', 'events without a time are skipped')
    const thread = process.thread(this.#thread)
    this.#trace.samples.push({ process, thread, time: this.#time, weight: this.#weight, frame: this.#frame })
  }

  #v8(process: TraceProcess, kind: V8Event['kind']): void {
    const thread = process.thread(this.#thread).id
    process.v8Events.push({ kind, id: this.#id, thread, time: this.#time ?? 0n, argsAt: this.#argsAt })
  }

  #metadata(process: TraceProcess): void {
    const thread = this.#thread
    const name = decodeUtf8(this.#name, 0, this.#name.length)
    if ((name !== 'thread_name' && name !== 'process_name') || this.#argsAt < 0) return
    const reader = this.#args
    reader.offset = this.#argsAt
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key !== 'name' || reader.peek() !== 'string') continue
      if (name === 'process_name') process.name = reader.string()
      else process.thread(thread).name = reader.string()
    }
  }

  #location(): LocationIndex {
    this.#fields.clear(this.#nameRow())
    if (this.#argsAt >= 0) {
      this.#args.offset = this.#argsAt
      this.#fields.readObject(this.#args)
    }
    return this.#fields.location()
  }

  /** A function must have a name. */
  #nameRow(): StringIndex {
    // An E event without a name ends the innermost open event.
    if (this.#name.length === 0) return this.#phase === 'E' ? (0 as StringIndex) : this.#builder.string('(unnamed)')
    return this.#builder.dictionary.string(this.#name, 0, this.#name.length)
  }

  #readWeight(): bigint {
    const reader = this.#reader
    if (reader.peek() === 'null') return 1n
    const at = reader.offset
    const weight = reader.double()
    if (Number.isSafeInteger(weight)) return BigInt(weight)
    if (!(Math.abs(weight) <= 2 ** 63)) reader.fail('a weight exceeds 64 bits', at)
    if (!Number.isInteger(weight)) {
      this.#notes.add('rounded-values', 'weights with decimals are rounded')
      return BigInt(Math.round(weight))
    }
    // Doubles beyond 2^53 have lost their last digits.
    reader.offset = at
    reader.int64('signed')
    return int64(reader.lo, reader.hi)
  }
}

export function readId(reader: JsonReader): Id {
  const kind = reader.peek()
  if (kind === 'number') return reader.number()
  if (kind !== 'string') {
    reader.skip()
    return undefined
  }
  const text = reader.string()
  const number = Number(text)
  return Number.isSafeInteger(number) && String(number) === text ? number : text
}
