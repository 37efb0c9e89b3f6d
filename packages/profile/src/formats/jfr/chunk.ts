// Reads one chunk of a recording: its layout, its constants, then its events. Constants may follow the events that use them, so
// a first pass over the chunk finds both and a second pass reads the events.
import { NONE } from '../../model/columns/brand.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { FormatError } from '../format.ts'
import { JfrClock } from './encoding/clock.ts'
import type { ChunkHeader } from './encoding/chunk-header.ts'
import { HEADER_BYTES } from './encoding/chunk-header.ts'
import { Constants } from './encoding/constants.ts'
import { Cursor } from './encoding/cursor.ts'
import type { JfrRecording } from './samples/event-reader.ts'
import { JfrEventReader } from './samples/event-reader.ts'
import { eventTypeOf } from './samples/event-types.ts'
import { Layouts } from './encoding/layout.ts'
import type { Metadata } from './encoding/metadata.ts'
import { classNameOf, readMetadata } from './encoding/metadata.ts'
import type { RecordingInfo } from './recording-info.ts'
import { INFO_EVENTS } from './recording-info.ts'
import { Texts } from './encoding/texts.ts'

const METADATA_EVENT = 0
const CHECKPOINT_EVENT = 1
/** Columns: class row (or plan), from, to. */
const EVENT_STRIDE = 3

/** Handles an error in a part of the file. It returns if reading continues without the part, otherwise it throws. */
export type OnBroken = (part: 'chunk' | 'constants' | 'event', error: unknown) => void

export class ChunkReader {
  readonly #recording: JfrRecording
  readonly #info: RecordingInfo
  readonly #header: ChunkHeader
  readonly #bytes: Uint8Array
  readonly #cursor: Cursor
  readonly #onBroken: OnBroken
  readonly #samples = new GrowingInts(1024)
  readonly #infos = new GrowingInts()
  /** Counts of skipped events by class row, and by name for types without a description. */
  #skipped = new Int32Array(0)
  readonly #skippedUnknown = new Map<string, number>()

  constructor(recording: JfrRecording, info: RecordingInfo, file: Uint8Array, header: ChunkHeader, onBroken: OnBroken) {
    this.#recording = recording
    this.#info = info
    this.#header = header
    this.#bytes = file.subarray(header.from, header.to)
    this.#cursor = new Cursor(this.#bytes, header.from)
    this.#onBroken = onBroken
  }

  /** Calls `left` with the number of skipped events of each type. */
  read(left: (event: string, count: number) => void): JfrEventReader {
    const { from, startNanos, startTicks, ticksPerSecond } = this.#header
    const metadata = this.#metadata()
    const constants = new Constants(new Layouts(metadata))
    this.#try('chunk', () => this.#scan(metadata, constants))
    const texts = new Texts(this.#bytes, from, constants)
    this.#readInfos(constants.layouts, texts)
    const clock = new JfrClock(startNanos, startTicks, ticksPerSecond)
    const reader = new JfrEventReader(this.#recording, this.#bytes, from, clock, constants, texts)
    this.#readSamples(metadata, reader)
    for (const [row, count] of this.#skipped.entries()) if (count > 0) left(metadata.classes[row].name, count)
    for (const [name, count] of this.#skippedUnknown) left(name, count)
    return reader
  }

  /** The header has the offset of the metadata. An unfinished chunk has it anywhere, and its last metadata event is complete. */
  #metadata(): Metadata {
    let found: Metadata | undefined
    if (this.#header.metadata !== 0) this.#try('chunk', () => (found = this.#metadataAt(this.#header.metadata)))
    if (found !== undefined) return found
    let last = NONE
    this.#try('chunk', () => {
      this.#eachEvent((lo, hi, start) => {
        if (lo === METADATA_EVENT && hi === 0) last = start
      })
    })
    return last === NONE ? this.#cursor.fail('the chunk has no metadata', 0) : this.#metadataAt(last)
  }

  #metadataAt(at: number): Metadata {
    const cursor = this.#cursor
    cursor.pos = at
    cursor.end = this.#bytes.length
    cursor.end = this.#eventEnd()
    cursor.long()
    if (cursor.lo !== METADATA_EVENT || cursor.hi !== 0) {
      cursor.fail(`expected metadata, found an event of type ${cursor.unsigned()}`, at)
    }
    return readMetadata(cursor)
  }

  /** Reads the size at the cursor. The size includes its own bytes. */
  #eventEnd(): number {
    const cursor = this.#cursor
    const at = cursor.pos
    cursor.long()
    const room = this.#bytes.length - at
    if (cursor.hi !== 0 || cursor.lo <= 0 || cursor.lo > room || at + cursor.lo <= cursor.pos) {
      cursor.fail(`event of ${cursor.unsigned()} bytes, but only ${room} are left`, at)
    }
    return at + cursor.lo
  }

  #eachEvent(take: (typeLo: number, typeHi: number, start: number) => void): void {
    const cursor = this.#cursor
    const { length } = this.#bytes
    for (let at = HEADER_BYTES; at < length;) {
      cursor.pos = at
      cursor.end = length
      const end = this.#eventEnd()
      cursor.end = end
      cursor.long()
      take(cursor.lo, cursor.hi, at)
      at = end
    }
  }

  #scan(metadata: Metadata, constants: Constants): void {
    const cursor = this.#cursor
    const { classes, ids } = metadata
    this.#skipped = new Int32Array(classes.length)
    const lists = classes.map(({ name, fields }) => {
      if (eventTypeOf(name, fields) !== undefined) return this.#samples
      return INFO_EVENTS.includes(name) ? this.#infos : undefined
    })
    const checkpoint = (): void => constants.read(cursor)
    const { length } = this.#bytes
    // This loop runs over every event of the file, so it does not use `#eachEvent`.
    for (let at = HEADER_BYTES; at < length;) {
      cursor.pos = at
      cursor.end = length
      const end = this.#eventEnd()
      cursor.end = end
      cursor.long()
      at = end
      const { lo, hi } = cursor
      if (hi === 0 && lo <= CHECKPOINT_EVENT && lo >= 0) {
        if (lo === CHECKPOINT_EVENT) this.#try('constants', checkpoint)
        continue
      }
      const row = ids.find(lo, hi)
      if (row === NONE) {
        const name = classNameOf(metadata, row, lo, hi)
        this.#skippedUnknown.set(name, (this.#skippedUnknown.get(name) ?? 0) + 1)
        continue
      }
      const list = lists[row]
      if (list === undefined) this.#skipped[row]++
      else {
        const array = list.reserve(EVENT_STRIDE)
        array[list.length] = row
        array[list.length + 1] = cursor.pos
        array[list.length + 2] = end
        list.length += EVENT_STRIDE
      }
    }
  }

  #readInfos(layouts: Layouts, texts: Texts): void {
    const { array, length } = this.#infos
    const cursor = this.#cursor
    for (let i = 0; i < length; i += EVENT_STRIDE) {
      const row = array[i]
      cursor.pos = array[i + 1]
      cursor.end = array[i + 2]
      this.#try('event', () => {
        this.#info.read(layouts.metadata.classes[row].name, row, layouts, cursor, texts, this.#recording.settings)
      })
    }
  }

  #readSamples({ classes }: Metadata, reader: JfrEventReader): void {
    const { array, length } = this.#samples
    const plans = new Int32Array(classes.length).fill(NONE)
    // A try block around the loop costs next to nothing. After each error, the loop continues with the next event.
    for (let i = 0; i < length; i += EVENT_STRIDE) {
      try {
        for (; i < length; i += EVENT_STRIDE) {
          const row = array[i]
          if (plans[row] === NONE) plans[row] = reader.plan(row, eventTypeOf(classes[row].name, classes[row].fields)!)
          reader.read(plans[row], array[i + 1], array[i + 2])
        }
      } catch (error) {
        this.#onBroken('event', error)
      }
    }
  }

  #try(part: 'chunk' | 'constants' | 'event', read: () => void): void {
    try {
      read()
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      this.#onBroken(part, error)
    }
  }
}
