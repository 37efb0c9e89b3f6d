// Reads the text of `perf script`: a line for each sample, followed by its frames on separate lines, leaf first. The text is
// scanned as bytes and goes straight into columns.
import { NONE } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { GrowingBytes } from '../../model/columns/growing-columns.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { BytesInterner } from '../../model/build/intern.ts'
import { negate, parseDigits } from '../../wire/decimal.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import type { TimeRange } from '../../model/columns/time-range.ts'
import { commonRange, EventSamples, timeFields } from '../recordings/event-samples.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { openRecording, PERF_ATTRIBUTES, periodFields, unitOfEvent } from '../recordings/perf-recording.ts'
import type { ScriptEvent } from './header.ts'
import { ScriptHeader } from './header.ts'
import { Names } from './names.ts'
import { UNNAMED } from './event-texts.ts'
import { PerfFrameReader } from './read-frames.ts'
import type { TextRange } from './sample-line.ts'
import { SampleLine } from './sample-line.ts'
import { CLOSE, CR, HASH, isBlank, LF, MINUS, skipBlanks, startsWith, TAB, trimEnd } from './text.ts'
import { PerfThreads } from './threads.ts'

const FORMAT = 'perf-script'
/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1
/** Fractions of a second have at most nine digits. */
const FRACTION = 9

export function readPerfScript(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (bytes.length > MAX_BYTES)
    throw new FormatError(FORMAT, MAX_BYTES, `${bytes.length} bytes exceed the limit of 2 GiB`)
  return new Reader(bytes, options.lenient === true).run()
}

/** The samples of one event. Samples with and without times or periods form separate profiles. */
interface ScriptProfile {
  readonly name: string
  readonly samples: EventSamples
}

class Reader {
  readonly #bytes: Uint8Array
  readonly #isLenient: boolean
  readonly #notes = new NoteList()
  readonly #builder = new ProfilesBuilder()
  readonly #header = new ScriptHeader()
  readonly #names: Names
  readonly #frames: PerfFrameReader
  readonly #threads: PerfThreads
  readonly #line = new SampleLine()
  readonly #events = new BytesInterner(new GrowingBytes())
  /** By event and shape, see #samplesOf. */
  readonly #samples: (EventSamples | undefined)[] = []
  readonly #profiles: ScriptProfile[] = []
  readonly #time = { lo: 0, hi: 0 }
  readonly #value = { lo: 0, hi: 0 }
  /** The digits of a time, without the dot. */
  readonly #digits = new Uint8Array(32)
  /** The samples that the current sample belongs to; undefined outside of a sample. */
  #open: EventSamples | undefined
  #set = 0
  #lineNumber = 0
  #lineFrom = 0
  /** The line before, if it may be the name of a thread without ids. */
  #possibleName: { readonly from: number; readonly to: number; readonly line: number } | undefined
  /** True until the end of a sample that could not be read. */
  #isSkipping = false
  /** The reason why the first skipped line could not be read. */
  #firstFault: FormatError | undefined

  constructor(bytes: Uint8Array, isLenient: boolean) {
    this.#bytes = bytes
    this.#isLenient = isLenient
    this.#names = new Names(this.#builder)
    this.#frames = new PerfFrameReader(this.#builder, bytes, this.#names)
    this.#threads = new PerfThreads(this.#builder, bytes, this.#names)
  }

  run(): ReadResult {
    const bytes = this.#bytes
    const hasMark = startsWithMark(bytes)
    for (let from = hasMark ? 3 : 0; from < bytes.length;) {
      const found = bytes.indexOf(LF, from)
      const next = found < 0 ? bytes.length : found
      const end = next > from && bytes[next - 1] === CR ? next - 1 : next
      this.#lineNumber++
      this.#lineFrom = from
      this.#read(from, trimEnd(bytes, from, end))
      from = next + 1
    }
    this.#close()
    this.#rejectName()
    if (this.#profiles.length === 0) {
      if (this.#firstFault !== undefined) throw this.#firstFault
      if (this.#header.events.length === 0 && !this.#isLenient) {
        throw new FormatError(FORMAT, 0, 'the text has no samples')
      }
    }
    return this.#result()
  }

  #read(from: number, to: number): void {
    const bytes = this.#bytes
    if (this.#open === undefined && this.#beginUnnumbered(from, to)) return
    this.#rejectName()
    if (from === to) return this.#close()
    if (bytes[from] === HASH) return this.#header.line(decodeUtf8(bytes, from, to))
    // Frames begin with a tab, unless it was replaced by spaces. Samples may begin with spaces as well.
    const line = this.#line
    if (bytes[from] !== TAB && line.parseTimed(bytes, from, to)) return this.#record(to)
    const isBelow = this.#open !== undefined && isBlank(bytes[from])
    const start = skipBlanks(bytes, from, to)
    const hasTab = bytes[from] === TAB
    const isUntimed = !hasTab && line.parseUntimed(bytes, from, to)
    // A thread name such as `cc` may look like an address, but an address is not followed by a known event.
    const isKnown = isUntimed && line.event.from !== NONE && this.#isKnownEvent(line.event)
    if (isBelow && !isKnown && this.#frames.frame(start, to, !hasTab)) return
    if (isUntimed) return this.#record(to)
    if (isBelow && (this.#frames.source(start, to) || this.#frames.frame(start, to, false))) return
    if (isBelow) this.#fault(from, this.#lineNumber, 'is not a frame of a callchain')
    else this.#possibleName = { from, to, line: this.#lineNumber }
  }

  /**
   * Starts a sample without ids, if the line is a frame: `-F ip,sym` prints only frames, and `-F comm,ip,sym` a line with the
   * name of the thread before them.
   */
  #beginUnnumbered(from: number, to: number): boolean {
    const bytes = this.#bytes
    if (from === to || bytes[from] !== TAB) {
      this.#isSkipping = false
      return false
    }
    if (this.#isSkipping) return true
    this.#frames.clear()
    if (!this.#frames.frame(skipBlanks(bytes, from, to), to, true)) return false
    const name = this.#possibleName
    this.#possibleName = undefined
    this.#set = this.#threads.named(name?.from ?? from, name?.to ?? from)
    this.#line.clear()
    this.#open = this.#samplesOf(false, false)
    return true
  }

  /** Reports the line before, which was not the name of a thread. */
  #rejectName(): void {
    const name = this.#possibleName
    if (name === undefined) return
    this.#possibleName = undefined
    this.#fault(name.from, name.line, 'is neither a sample nor part of one')
  }

  #isKnownEvent({ from, to }: TextRange): boolean {
    const known = this.#events.length
    return this.#events.intern(this.#bytes, from, to) < known
  }

  #record(to: number): void {
    this.#close()
    if (this.#line.isOtherRecord) this.#otherRecord(to)
    else this.#begin(to)
  }

  /** Starts a new sample. */
  #begin(to: number): void {
    const line = this.#line
    const bytes = this.#bytes
    this.#frames.clear()
    const hasTime = line.time.from !== NONE
    const hasPeriod = line.period.from !== NONE
    this.#isSkipping = true
    if (hasTime && !this.#readTime(line.time))
      return this.#fault(line.time.from, this.#lineNumber, 'has a time that does not fit in 64 bits')
    if (hasPeriod && !this.#readValue(line.period)) {
      return this.#fault(line.period.from, this.#lineNumber, 'has a period that does not fit in 64 bits')
    }
    this.#set = this.#threads.set(this.#lineFrom, line.threadTo)
    this.#open = this.#samplesOf(hasPeriod, hasTime)
    if (line.restFrom === to) return
    // One frame may be on the same line, followed by its instruction. Anything else consists of fields of the event.
    const frameTo = instructionStart(bytes, line.restFrom, to)
    const isFrame = bytes[frameTo - 1] === CLOSE && this.#frames.frame(line.restFrom, frameTo, true)
    if (!isFrame) this.#notes.add('event-text', 'texts of events, such as fields of tracepoints, were dropped')
  }

  /** Ends the current sample. */
  #close(): void {
    if (this.#open === undefined) return
    const { lo, hi } = this.#value
    this.#open.add(this.#frames.stack(), this.#set, lo, hi, this.#time.lo, this.#time.hi)
    this.#open = undefined
  }

  #samplesOf(hasPeriod: boolean, hasTime: boolean): EventSamples {
    const { event } = this.#line
    const row = event.from === NONE ? 0 : this.#events.intern(this.#bytes, event.from, event.to)
    const key = 4 * row + (hasPeriod ? 2 : 0) + (hasTime ? 1 : 0)
    let samples = this.#samples[key]
    if (samples === undefined) {
      samples = new EventSamples(hasPeriod, hasTime)
      this.#samples[key] = samples
      const name = event.from === NONE ? UNNAMED : this.#names.text(this.#bytes, event.from, event.to)
      this.#profiles.push({ name, samples })
    }
    return samples
  }

  /** Reads seconds and their fraction as nanoseconds. */
  #readTime({ from, to }: TextRange): boolean {
    const bytes = this.#bytes
    const digits = this.#digits
    let length = 0
    let at = from
    for (; bytes[at] !== 0x2e; at++) {
      if (length === digits.length - FRACTION) return false
      digits[length++] = bytes[at]
    }
    const end = Math.min(to, at + 1 + FRACTION)
    for (let k = at + 1; k < end; k++) digits[length++] = bytes[k]
    for (let k = end - at - 1; k < FRACTION; k++) digits[length++] = 0x30
    let zeros = 0
    while (zeros < length - 1 && digits[zeros] === 0x30) zeros++
    return parseDigits(digits, zeros, length, this.#time)
  }

  #readValue({ from, to }: TextRange): boolean {
    const isNegative = this.#bytes[from] === MINUS
    let digits = isNegative ? from + 1 : from
    while (digits < to - 1 && this.#bytes[digits] === 0x30) digits++
    if (!parseDigits(this.#bytes, digits, to, this.#value)) return false
    return isNegative ? negate(this.#value) : this.#value.hi >= 0
  }

  /** Handles the output of options such as `--show-mmap-events`: `PERF_RECORD_LOST lost 12`. */
  #otherRecord(to: number): void {
    const text = decodeUtf8(this.#bytes, this.#line.restFrom, to)
    const mapped = /^_?MMAP2? .*<([0-9a-f]{2,40})>\]: \S+ (.+)$/.exec(text.slice('PERF_RECORD'.length))
    const lost = /^PERF_RECORD_LOST(?:_SAMPLES)? lost (\d{1,15})$/.exec(text)?.[1]
    if (mapped !== null) this.#frames.setBuildId(mapped[2], mapped[1])
    if (lost !== undefined) {
      this.#notes.addDamage(
        'lost-samples',
        'records were lost during the recording, as reported by the kernel',
        Number(lost),
      )
    } else this.#notes.add('other-records', 'records other than samples (memory maps, forks and so on) were skipped')
  }

  #fault(at: number, line: number, what: string): void {
    this.#firstFault ??= new FormatError(FORMAT, at, `line ${line} ${what}`)
    this.#notes.addDamage('skipped-lines', `invalid lines were skipped, the first: ${this.#firstFault.message}`)
  }

  #result(): ReadResult {
    const header = this.#header
    for (const { samples } of this.#profiles) samples.shiftTimes(lowHalf(header.shift), highHalf(header.shift))
    openRecording(this.#builder, header.recording)
    const range = commonRange(this.#profiles.map(({ samples }) => samples))
    const events = new Map(header.events.toReversed().map(event => [event.name, event]))
    for (const profile of this.#inOrder()) this.#writeProfile(profile, events.get(profile.name), range)
    const notes = this.#notes
    if (range !== undefined && header.clock !== undefined) {
      notes.add('clock', `timestamps use the clock "${header.clock}"; the file does not relate it to Unix time`)
    }
    notes.add('invalid-text', 'texts were not valid UTF-8; invalid bytes became U+FFFD', this.#names.invalid)
    return { profiles: this.#builder.build(), notes: notes.list(), generation: '' }
  }

  /** Profiles in the order of the header's events, including those without samples, then the others. */
  #inOrder(): readonly ScriptProfile[] {
    const byName = new Map<string, ScriptProfile[]>()
    for (const { name } of this.#header.events) byName.set(name, [])
    for (const profile of this.#profiles) {
      const list = byName.get(profile.name)
      if (list === undefined) byName.set(profile.name, [profile])
      else list.push(profile)
    }
    return [...byName].flatMap(([name, profiles]) => {
      if (profiles.length > 0 || name.startsWith('dummy')) return profiles
      return [{ name, samples: new EventSamples(true, true) }]
    })
  }

  #writeProfile({ name, samples }: ScriptProfile, event: ScriptEvent | undefined, range: TimeRange | undefined): void {
    const builder = this.#builder
    const unit = event?.unit ?? (samples.isCounted ? unitOfEvent(name) : 'count')
    const attributes = []
    if (event?.isFrequency === true && event.period > 0n) {
      attributes.push(builder.attribute(PERF_ATTRIBUTES.frequency, BigInt.asIntN(64, event.period)))
    }
    if (samples.hasTimestamps && samples.length > 0 && this.#header.clock !== undefined) {
      attributes.push(builder.attribute(PERF_ATTRIBUTES.clock, this.#header.clock))
    }
    const period =
      event === undefined ? {} : periodFields(name, event.unit ?? unitOfEvent(name), event.period, event.isFrequency)
    const time = samples.length > 0 && samples.hasTimestamps && range !== undefined ? timeFields(range) : {}
    builder.profile({ type: name, unit, ...time, ...period, attributes })
    samples.writeTo(builder, this.#threads.sets)
  }
}

/** The end of the text before ` ilen: 3` or ` insn: 48 89 e5`, which `-F +insn` prints after a frame. Otherwise `to`. */
function instructionStart(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[to - 1] === CLOSE) return to
  for (let at = bytes.indexOf(CLOSE, from); at >= 0 && at < to; at = bytes.indexOf(CLOSE, at + 1)) {
    if (startsWith(bytes, at + 1, to, ' insn:') || startsWith(bytes, at + 1, to, ' ilen:')) return at + 1
  }
  return to
}

/** Returns whether the text begins with a UTF-8 byte order mark. */
function startsWithMark(bytes: Uint8Array): boolean {
  return startsWith(bytes, 0, bytes.length, '\u00ef\u00bb\u00bf')
}
