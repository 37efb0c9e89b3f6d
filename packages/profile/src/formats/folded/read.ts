// Reads folded (collapsed) stacks: one line per stack, root first, with its value at the end. The bytes are scanned
// directly into columns. The meaning of a line depends on the dialect and the decimals of the whole file. The reader
// starts with a guess and reads the file again if a line proves it wrong.
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { parseDigits } from '../../wire/decimal.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { FOLDED_ATTRIBUTES } from './annotations.ts'
import { scaledUnit } from '../recordings/scaled-number.ts'
import { timeUnit, timeUnitNote } from '../recordings/time-unit.ts'
import { DecimalScale, ValueReader } from './decimal-value.ts'
import type { FoldedDialect } from './dialect.ts'
import { AFTER, BEFORE, DEFAULT_TYPE, DEFAULT_UNIT, DIALECTS, parseDialect } from './dialect.ts'
import type { FoldedHeader } from './header.ts'
import { parseHeader } from './header.ts'
import type { Token } from './line-tail.ts'
import { isBlank, isDigits, LineTail, stackEnd } from './line-tail.ts'
import { FoldedObservations, Totals } from './observations.ts'
import { AttributeReader, NO_ATTRIBUTES } from './read-attributes.ts'
import { FoldedFrameReader } from './read-frames.ts'
import type { FoldedText } from './text.ts'
import { openText } from './text.ts'

/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1
const LF = 0x0a
const HASH = 0x23

export function readFolded(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (bytes.length > MAX_BYTES) {
    throw new FormatError('folded', MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  }
  const text = openText(bytes)
  const header = findHeader(text)
  const given = dialectOf(options.generation) ?? header.dialect
  let plan: Plan = {
    header,
    dialect: given ?? 'differential',
    guessed: given === undefined,
    decimals: undefined,
  }
  // Each round but the last rules out one of three dialects or settles the decimals of one, so there are at most six.
  for (;;) {
    const reading = new Reading(text, plan)
    const change = reading.run()
    if (change === undefined) return reading.result()
    plan =
      change.dialect === undefined
        ? { ...plan, decimals: decimalsOf(text, plan.dialect) }
        : { ...plan, dialect: change.dialect, decimals: undefined }
  }
}

interface Plan {
  readonly header: FoldedHeader
  readonly dialect: FoldedDialect
  /** Whether lines may change the dialect. */
  readonly guessed: boolean
  /** Undefined as long as all values are integers. */
  readonly decimals: number | undefined
}

/** Changes for the next round. */
interface Change {
  readonly dialect?: FoldedDialect
}

function dialectOf(generation: string | undefined): FoldedDialect | undefined {
  if (generation === undefined || generation === '') return undefined
  const dialect = parseDialect(generation)
  if (dialect === undefined) throw new RangeError(`folded has no generation ${generation}; use ${DIALECTS.join(', ')}`)
  return dialect
}

/**
 * Calls back with each line that is not empty, without spaces at its end. Stops at the first result that is not
 * undefined.
 */
function eachLine<T>(
  text: FoldedText,
  visit: (from: number, to: number, line: number) => T | undefined,
): T | undefined {
  const { bytes } = text
  let line = 1
  for (let from = text.from; from < bytes.length; line++) {
    let to = bytes.indexOf(LF, from)
    if (to < 0) to = bytes.length
    const next = to + 1
    while (to > from && isBlank(bytes[to - 1])) to--
    if (to > from) {
      const result = visit(from, to, line)
      if (result !== undefined) return result
    }
    from = next
  }
  return undefined
}

/** Headers precede the first stack. Later header lines extend earlier ones. */
function findHeader(text: FoldedText): FoldedHeader {
  let header: FoldedHeader = { profile: {} }
  eachLine(text, (from, to) => {
    if (text.bytes[from] !== HASH) return true
    const found = parseHeader(text.bytes, from, to)
    if (found !== undefined) header = { ...header, ...found, profile: { ...header.profile, ...found.profile } }
    return undefined
  })
  return header
}

/** The number of decimals that the values of the file need. */
function decimalsOf(text: FoldedText, dialect: FoldedDialect): number {
  const { bytes } = text
  const scale = new DecimalScale()
  const tail = new LineTail()
  const { last, value } = tail
  eachLine(text, (from, to) => {
    if (bytes[from] === HASH) return
    const kind = tail.parse(bytes, from, to)
    if (kind === 'no-value' || kind === 'no-stack') return
    const plain = dialect === 'plain' || (dialect === 'extended' && !isExtended(bytes, tail))
    if (!plain) scale.add(bytes, value.from, value.to)
    if (plain || dialect === 'differential') scale.add(bytes, last.from, last.to)
  })
  return scale.decimals
}

/** Whether a line of an extended file has more than a value at its end: attributes, a timestamp, or both. */
function isExtended(bytes: Uint8Array, { kind, last }: LineTail): boolean {
  return kind === 'labeled' || ((kind === 'two' || kind === 'timed') && isDigits(bytes, last.from, last.to))
}

class Reading {
  readonly #text: FoldedText
  readonly #plan: Plan
  readonly #builder = new ProfilesBuilder()
  readonly #frames: FoldedFrameReader
  readonly #attributes: AttributeReader
  readonly #value: ValueReader
  readonly #time = { lo: 0, hi: 0 }
  readonly #tail = new LineTail()
  readonly #totals = new Totals()
  /** The second profile of a differential file. */
  readonly #after = new Totals()
  readonly #observations = new FoldedObservations()
  /** The unit of timestamps. */
  #unit = timeUnit(0n)
  #comments = 0
  #skipped = 0
  /** The reason why the first skipped line could not be read. */
  #firstFault: FormatError | undefined
  #lines = 0

  constructor(text: FoldedText, plan: Plan) {
    this.#text = text
    this.#plan = plan
    const escaped = plan.header.dialect === 'extended'
    this.#frames = new FoldedFrameReader(this.#builder, text.bytes, escaped)
    this.#attributes = new AttributeReader(this.#builder, escaped)
    this.#value = new ValueReader(plan.decimals)
  }

  /** Returns undefined after all lines were read. */
  run(): Change | undefined {
    const { bytes } = this.#text
    const tail = this.#tail
    const change = eachLine<Change>(this.#text, (from, to, line) => {
      if (bytes[from] === HASH) {
        if (parseHeader(bytes, from, to) === undefined || this.#lines > 0) this.#comments++
        return undefined
      }
      this.#lines++
      const kind = tail.parse(bytes, from, to)
      try {
        if (kind === 'no-stack') throw this.#error(from, `line ${line} has a value but no stack`)
        if (kind === 'no-value') throw this.#error(from, `line ${line} has no value at its end`)
        return this.#line(from, line)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        this.#firstFault ??= error
        this.#skipped++
        return undefined
      }
    })
    // A file without a line has no evidence for a dialect.
    return change === undefined && this.#lines === 0 && this.#plan.guessed && this.#plan.dialect !== 'plain'
      ? { dialect: 'plain' }
      : change
  }

  #line(from: number, line: number): Change | undefined {
    const { dialect, guessed } = this.#plan
    const { kind } = this.#tail
    if (guessed && dialect !== 'extended') {
      if (kind === 'timed' || kind === 'labeled') return { dialect: 'extended' }
      if (dialect === 'differential' && kind === 'one') return { dialect: 'plain' }
    }
    switch (dialect) {
      case 'plain':
        if (kind === 'labeled') throw this.#error(from, `line ${line} has no value at its end`)
        return this.#plainLine(from, line)
      case 'differential':
        if (kind !== 'two') throw this.#error(from, `line ${line} does not end in two values`)
        return this.#differentialLine(from, line)
      case 'extended':
        return this.#extendedLine(from, line)
    }
  }

  #plainLine(from: number, line: number): Change | undefined {
    const { last } = this.#tail
    const stack = this.#frames.stack(from, stackEnd(last))
    if (!this.#readValue(last, line)) return {}
    this.#totals.add(stack, NO_ATTRIBUTES, this.#value)
    return undefined
  }

  #differentialLine(from: number, line: number): Change | undefined {
    const { value, last } = this.#tail
    const stack = this.#frames.stack(from, stackEnd(value))
    if (!this.#readValue(value, line)) return {}
    this.#totals.add(stack, NO_ATTRIBUTES, this.#value)
    if (!this.#readValue(last, line)) return {}
    this.#after.add(stack, NO_ATTRIBUTES, this.#value)
    return undefined
  }

  #extendedLine(from: number, line: number): Change | undefined {
    const { kind, value, last, attributes } = this.#tail
    const { bytes } = this.#text
    if (!isExtended(bytes, this.#tail)) return this.#plainLine(from, line)
    const stack = this.#frames.stack(from, stackEnd(value))
    const set = kind === 'two' ? NO_ATTRIBUTES : this.#attributes.set(bytes, attributes.from, attributes.to)
    if (!this.#readValue(value, line)) return {}
    if (kind === 'labeled') this.#totals.add(stack, set, this.#value)
    else {
      const time = this.#time
      if (!parseDigits(bytes, last.from, last.to, time)) {
        throw this.#error(last.from, `the timestamp of line ${line} does not fit in 64 bits`)
      }
      this.#observations.add(stack, set, this.#value, time)
    }
    return undefined
  }

  /** Returns false if the value has unexpected decimals. */
  #readValue(token: Token, line: number): boolean {
    const fault = this.#value.read(this.#text.bytes, token.from, token.to)
    if (fault === 'range') throw this.#error(token.from, `the value of line ${line} does not fit in 64 bits`)
    return fault === 'none'
  }

  #error(at: number, what: string): FormatError {
    return new FormatError('folded', this.#text.sourceOffset(at), what)
  }

  /** Throws the first fault if no line could be read. */
  result(): ReadResult {
    if (this.#firstFault !== undefined && this.#skipped === this.#lines) throw this.#firstFault
    this.#frames.finish()
    this.#unit = timeUnit(this.#observations.last)
    return { profiles: this.#profiles(), notes: this.#notes(), generation: this.#plan.dialect }
  }

  #profiles(): Profiles {
    const { dialect, header } = this.#plan
    if (dialect === 'differential') {
      this.#profile(BEFORE, {})
      this.#totals.writeTo(this.#builder, this.#attributes)
      this.#profile(AFTER, {})
      this.#after.writeTo(this.#builder, this.#attributes)
      return this.#builder.build()
    }
    const type = header.profile.type ?? DEFAULT_TYPE
    // Times of Hearth's own files are nanoseconds.
    if (header.dialect === undefined && this.#unit.nanos > 1n) this.#observations.scaleTimes(this.#unit.nanos)
    const { first: timeUnixNano, duration: durationNano } = this.#observations
    const time = this.#observations.length > 0 ? { timeUnixNano, durationNano } : {}
    if (this.#totals.length > 0 || this.#observations.length === 0) {
      this.#profile(type, time)
      this.#totals.writeTo(this.#builder, this.#attributes)
    }
    if (this.#observations.length > 0) {
      const withValues = header.timestampsOnly !== true || !this.#observations.onlyOnes
      this.#profile(type, time)
      this.#observations.writeTo(this.#builder, this.#attributes, withValues)
    }
    return this.#builder.build()
  }

  #profile(type: string, time: { readonly timeUnixNano?: bigint; readonly durationNano?: bigint }): void {
    const { header, decimals } = this.#plan
    const unit = scaledUnit(header.profile.unit ?? DEFAULT_UNIT, decimals ?? 0)
    const annotations =
      this.#frames.annotated === 0 ? [] : [this.#builder.attribute(FOLDED_ATTRIBUTES.annotations, true)]
    this.#builder.profile({ ...time, ...header.profile, type, unit, attributes: annotations })
  }

  #notes(): ReadResult['notes'] {
    const notes = new NoteList()
    const decimals = this.#plan.decimals ?? 0
    notes.add('comments', 'comment lines were skipped', this.#comments)
    const isScaled = this.#plan.header.dialect === undefined && this.#unit.nanos > 1n
    notes.add('time-unit', timeUnitNote(this.#unit), isScaled ? this.#observations.length : 0)
    notes.addDamage(
      'skipped-lines',
      `lines that could not be read were skipped, the first: ${this.#firstFault?.message}`,
      this.#skipped,
    )
    notes.add(
      'fractional-values',
      `values with decimals: all are multiplied by 1${'0'.repeat(decimals)}, as their unit shows`,
      decimals === 0 ? 0 : this.#value.fractions,
    )
    notes.add('rounded-values', 'values had more decimals than fit in 64 bits and were rounded', this.#value.rounded)
    notes.add('empty-frame', 'frames without a name are called [unknown]', this.#frames.emptyFrames)
    notes.add(
      'invalid-text',
      'texts were not valid UTF-8 or UTF-16; invalid parts became U+FFFD',
      this.#frames.invalidNames + this.#attributes.invalidTexts + this.#text.broken,
    )
    notes.add(
      'duplicate-attribute',
      'an attribute occurred twice in one line; the last one is used',
      this.#attributes.duplicateKeys,
    )
    notes.add('bad-id', 'trace or span ids of a wrong length are kept as attributes', this.#attributes.badIds)
    return notes.list()
  }
}
