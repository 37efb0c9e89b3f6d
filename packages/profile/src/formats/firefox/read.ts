// Reads Firefox profiles, Gecko's own and processed ones. A process becomes a resource, and the measurements of its
// threads become profiles. The thread becomes attributes of the samples. The parts of a file may have any order, so
// they are found first.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { ScaledNumber, unscaledUnit } from '../recordings/scaled-number.ts'
import { ExpansionLimit } from '../expansion-limit.ts'
import { geckoOfCleopatra } from './cleopatra.ts'
import { findParts } from './file-parts.ts'
import type { FileParts } from './file-parts.ts'
import { FIREFOX_ATTRIBUTES, NO_ID, WEIGHTS } from './names.ts'
import { ProcessList } from './process-list.ts'
import { readLibs } from './read-libs.ts'
import type { FirefoxSampleTable, Shared, FirefoxThread } from './read-thread.ts'
import { readShared, readThread } from './read-thread.ts'

const FORMAT = 'firefox'
/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1
const NONE = -1

interface Process {
  readonly parts: FileParts
  readonly path: string
  /** The file, or the text of this process. */
  readonly bytes: Uint8Array
  /** The offset of the process in the file. 0 for the first. */
  readonly at: number
}

export function readFirefox(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (bytes.length > MAX_BYTES)
    throw new FormatError(FORMAT, MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  try {
    return new FileReader(geckoOfCleopatra(bytes) ?? bytes, options.lenient === true).read()
  } catch (error) {
    if (error instanceof JsonError) throw new FormatError(FORMAT, error.offset, error.what, error.path)
    throw error
  }
}

class FileReader {
  /** The file, or the text of a child process. */
  #bytes: Uint8Array
  readonly #lenient: boolean
  readonly #builder = new ProfilesBuilder()
  readonly #notes = new NoteList()
  readonly #limit: ExpansionLimit
  readonly #processes = new ProcessList()
  /** Attributes of threads. */
  readonly #sets = new SequenceInterner()
  readonly #number = new ScaledNumber()
  #isProcessed = false

  constructor(bytes: Uint8Array, lenient: boolean) {
    this.#bytes = bytes
    this.#lenient = lenient
    this.#limit = new ExpansionLimit(bytes.length)
  }

  read(): ReadResult {
    const reader = new JsonReader(this.#bytes)
    const recording = findParts(reader, this.#lenient)
    if (recording.cut !== undefined)
      this.#notes.addDamage('truncated', 'the file is truncated; everything after its end is missing')
    else if (reader.peek() !== 'end') reader.fail('unexpected content after the profile')
    this.#notes.add('markers', 'markers', recording.markers)
    const isWrapped = recording.threads === NONE && recording.profile !== NONE
    const parts = isWrapped ? findParts(this.#at(recording.profile), this.#lenient) : recording
    if (parts.threads === NONE && parts.processes === NONE) {
      throw new FormatError(FORMAT, parts.cut?.offset ?? reader.offset, 'no list of threads', 'threads')
    }
    this.#readProcesses(parts)
    this.#processes.writeTo(this.#builder, this.#sets)
    const generation = parts.processedVersion === undefined && !this.#isProcessed ? 'gecko' : 'processed'
    return { profiles: this.#builder.build(), notes: this.#notes.list(), generation }
  }

  /** Gecko nests the profiles of child processes, which have no children. A list avoids recursion anyway. */
  #readProcesses(first: FileParts): void {
    const file = this.#bytes
    const pending: Process[] = [{ parts: first, path: '', bytes: file, at: 0 }]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      this.#bytes = next.bytes
      try {
        pending.push(...this.#readProcess(next).reverse())
      } catch (error) {
        if (next.bytes === file || !(error instanceof JsonError || error instanceof FormatError)) throw error
        // Offsets within the text of a child process would not help the user, who sees the file.
        throw new FormatError(FORMAT, next.at, error.what, `${next.path}${error.path}`)
      } finally {
        this.#bytes = file
      }
    }
  }

  /** Returns its child processes. */
  #readProcess({ parts, path, at }: Process): Process[] {
    const children = this.#readThreads(parts, path, at)
    this.#notes.add('counters', 'counters', parts.counters)
    if (parts.processes === NONE) return children
    const reader = this.#at(parts.processes)
    reader.beginArray()
    for (let i = 0; this.#nextItem(reader, parts); i++) {
      const kind = reader.peek()
      const child = { path: `${path}processes[${i}].`, at: this.#placeOf(reader, at) }
      if (kind === 'object') children.push({ ...child, parts: findParts(reader, this.#lenient), bytes: this.#bytes })
      else if (kind === 'string') children.push(this.#processInText(reader, child))
    }
    return children
  }

  /** Reads a child process that is a text of JSON, as in old files. */
  #processInText(reader: JsonReader, { path, at }: Pick<Process, 'path' | 'at'>): Process {
    const bytes = reader.stringBytes().slice()
    try {
      return { parts: findParts(new JsonReader(bytes), this.#lenient), path, bytes, at }
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      throw new FormatError(FORMAT, at, `the text of a child process is not valid: ${error.what}`, path)
    }
  }

  /** The offset of the reader in the file. `at` is that of the text that it reads, or 0. */
  #placeOf(reader: JsonReader, at: number): number {
    return at === 0 ? reader.offset : at
  }

  /** Returns child processes, which very old files have among the threads. */
  #readThreads(parts: FileParts, path: string, place: number): Process[] {
    const children: Process[] = []
    if (parts.threads === NONE) return children
    const libs = parts.libs === NONE ? [] : readLibs(this.#at(parts.libs), this.#builder)
    const shared: Shared =
      parts.shared === NONE
        ? { strings: undefined, tables: new Map(), libs }
        : readShared(this.#at(parts.shared), this.#builder, libs)
    const reader = this.#at(parts.threads)
    reader.beginArray()
    for (let i = 0; this.#nextItem(reader, parts); i++) {
      const at = `${path}threads[${i}]`
      try {
        if (reader.peek() === 'object') {
          const thread = readThread(reader, at, shared, this.#builder, this.#notes, this.#limit)
          this.#isProcessed ||= thread.isProcessed
          for (const table of thread.samples) this.#addSamples(thread, table, parts)
        } else if (reader.peek() === 'string') {
          children.push(this.#processInText(reader, { path: `${at}.`, at: this.#placeOf(reader, place) }))
        }
      } catch (error) {
        if (parts.cut !== undefined && error instanceof JsonError) return children
        throw error
      }
    }
    return children
  }

  #nextItem(reader: JsonReader, parts: FileParts): boolean {
    try {
      return reader.nextItem()
    } catch (error) {
      if (parts.cut !== undefined && error instanceof JsonError) return false
      throw error
    }
  }

  #addSamples(thread: FirefoxThread, { name, columns }: FirefoxSampleTable, parts: FileParts): void {
    const { extra } = thread
    const kind = name === 'samples' ? (columns.texts.get('weightType') ?? 'samples') : name
    const meaning = WEIGHTS.get(kind) ?? { shift: 0, type: 'samples', unit: kind }
    const shift = meaning.shift + (extra.unit === undefined ? 0 : unscaledUnit(extra.unit).places)
    const weights = columns.places.get('weight')
    const reader = weights === undefined ? undefined : this.#at(weights)
    reader?.beginArray()
    const unit = extra.unit ?? meaning.unit
    const process = this.#processes.process(thread, parts)
    const series = process.series(extra.type ?? meaning.type, unit, !extra.aggregated, kind === 'samples')
    const stack = columns.column('stack')
    const time = columns.column('time')
    const deltas = columns.has('time') ? undefined : columns.column('timeDeltas')
    const set = this.#setOf(thread)
    thread.frames.plan(stack)
    let now = parts.startTime
    let dropped = 0
    for (let i = 0; i < columns.length; i++) {
      if (deltas === undefined) now = parts.startTime + BigInt(time.at(i))
      else now += BigInt(deltas.at(i))
      const row = thread.frames.stack(stack.at(i))
      const value = reader === undefined ? 1n : this.#weight(reader, shift, columns.path)
      if (now < 0n) dropped++
      else series.samples.add(row, set, lowHalf(value), highHalf(value), lowHalf(now), highHalf(now))
    }
    this.#notes.add('negative-times', 'samples before 1970 are skipped', dropped)
  }

  #weight(reader: JsonReader, shift: number, path: string): bigint {
    if (!reader.nextItem()) reader.fail(`fewer weights than samples in ${path}`)
    if (reader.peek() !== 'number') {
      reader.skip()
      return 1n
    }
    const from = reader.offset
    reader.number()
    if (!this.#number.read(this.#bytes, from, reader.offset, shift)) reader.fail('a weight exceeds 64 bits', from)
    if (this.#number.rounded) this.#notes.add('rounded-values', 'weights with too many decimals are rounded')
    return this.#number.value
  }

  #setOf({ tid, name }: FirefoxThread): number {
    const builder = this.#builder
    const set: AttributeIndex[] = []
    if (tid !== '' && !NO_ID.test(tid)) {
      const whole = /^\d{1,18}$/.test(tid)
      set.push(
        whole
          ? builder.attribute(ATTRIBUTES.threadId, BigInt(tid))
          : builder.attribute(FIREFOX_ATTRIBUTES.threadId, tid),
      )
    }
    if (name !== '') set.push(builder.attribute(ATTRIBUTES.threadName, name))
    return this.#sets.intern(Int32Array.from(set), 0, set.length)
  }

  #at(offset: number): JsonReader {
    return new JsonReader(this.#bytes, { offset })
  }
}
