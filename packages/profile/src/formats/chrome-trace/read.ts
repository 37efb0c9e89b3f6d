// Reads Chrome's trace events: an array, whose end may be missing, or an object with `traceEvents`. Each process
// becomes a resource with up to three profiles: event durations, V8's samples, and samples that refer to stack frames.
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { JsonReader } from '../../wire/json/json-reader.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { readPartialJson } from '../recordings/read-partial-json.ts'
import { TraceEventReader, MAX_DEPTH, readId } from './event-reader.ts'
import { FrameFields } from './frame-fields.ts'
import { addTrace } from './to-profiles.ts'
import { Trace } from './trace.ts'
import { readV8Profiles } from './v8-assembly.ts'

const FORMAT = 'chrome-trace'
/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1

export function readChromeTrace(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const { length } = bytes
  if (length > MAX_BYTES) {
    throw new FormatError(FORMAT, MAX_BYTES, `input of ${length} bytes is larger than 2 GiB`)
  }
  const builder = new ProfilesBuilder()
  const notes = new NoteList()
  const lenient = options.lenient ?? false
  const trace = new Trace()
  const file = new FileReader(new JsonReader(bytes, { format: FORMAT, maxDepth: MAX_DEPTH }), builder, trace, notes)
  readPartialJson(FORMAT, lenient, notes, () => file.read())
  const args = new JsonReader(bytes, { format: FORMAT, maxDepth: MAX_DEPTH })
  readPartialJson(FORMAT, lenient, notes, () => readV8Profiles(args, builder, trace))
  options.onBytesRead?.()
  addTrace(builder, trace, { notes, bytes: length })
  return { profiles: builder.build(), notes: notes.list(), generation: '' }
}

class FileReader {
  readonly #reader: JsonReader
  readonly #builder: ProfilesBuilder
  readonly #trace: Trace
  readonly #events: TraceEventReader

  constructor(reader: JsonReader, builder: ProfilesBuilder, trace: Trace, notes: NoteList) {
    this.#reader = reader
    this.#builder = builder
    this.#trace = trace
    this.#events = new TraceEventReader(reader, builder, trace, notes)
  }

  read(): void {
    const reader = this.#reader
    if (reader.peek() === 'array') {
      if (this.#list(false) && reader.peek() !== 'end') reader.fail('unexpected content after the events')
      return
    }
    reader.beginObject()
    let hasEvents = false
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'traceEvents') {
        hasEvents = true
        if (!this.#list(false)) return
      } else if (key === 'samples' && reader.peek() === 'array') {
        if (!this.#list(true)) return
      } else if (key === 'stackFrames' && reader.peek() === 'object') this.#stackFrames()
    }
    if (reader.peek() !== 'end') reader.fail('unexpected content after the trace')
    if (!hasEvents) reader.fail('no "traceEvents"')
  }

  /** Returns false if the file ends before the list does, as in the trace of a program that was stopped. */
  #list(isSample: boolean): boolean {
    const reader = this.#reader
    reader.beginArray()
    while (!this.#isCutOff() && reader.nextItem()) this.#events.read(isSample)
    return !this.#isAtEnd
  }

  #isAtEnd = false

  /** Whether at most a comma follows. Skips a comma before the closing bracket, which many tracers write. */
  #isCutOff(): boolean {
    const { bytes, offset } = this.#reader
    let at = afterSpace(bytes, offset)
    const hasComma = bytes[at] === 0x2c
    if (hasComma) at = afterSpace(bytes, at + 1)
    if (hasComma && bytes[at] === 0x5d) this.#reader.offset = at
    this.#isAtEnd = at === bytes.length
    return this.#isAtEnd
  }

  #stackFrames(): void {
    const reader = this.#reader
    const fields = new FrameFields(this.#builder)
    const unnamed = this.#builder.string('(unnamed)')
    reader.beginObject()
    for (let id = reader.nextKey(); id !== undefined; id = reader.nextKey()) {
      fields.clear(unnamed)
      let parent: string | undefined
      reader.beginObject()
      for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
        if (key === 'name' && reader.peek() === 'string') {
          const name = fields.text(reader)
          if (name !== 0) fields.name = name
        } else if (key === 'parent') {
          const parentId = readId(reader)
          if (parentId !== undefined) parent = String(parentId)
        } else fields.readMember(key, reader)
      }
      this.#trace.frames.set(id, { location: fields.location(), parent })
    }
  }
}

function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++
  return at
}
