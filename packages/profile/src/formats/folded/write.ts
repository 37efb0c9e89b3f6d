// Writes folded stacks: root first, one line per distinct stack, sorted bytewise. Extended lines also have the
// attributes, link and timestamp of the sample. Their names and values are escaped so that everything reads back the
// same.
import type { Profiles } from '../../model/columns/profiles.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { FOLDED_ATTRIBUTES } from './annotations.ts'
import type { FoldedChoice } from './write/choose-profiles.ts'
import { chooseProfiles } from './write/choose-profiles.ts'
import { countLosses } from './write/count-losses.ts'
import { decimalText, unscaledUnit } from '../recordings/scaled-number.ts'
import { ExactSums } from './write/exact-sums.ts'
import { formatHeader } from './header.ts'
import { LineTail } from './line-tail.ts'
import { sortLines } from './write/sort-lines.ts'
import { FoldedStackTexts } from './write/stack-texts.ts'
import { AttributeTexts } from './write/attribute-texts.ts'

const LF = 0x0a
const NO_SET = 0
const ROW_STRIDE = 2
/** Offsets are int32. */
const MAX_BYTES = 2 ** 31 - 8
const EMPTY = new Uint8Array(0)
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf)

export function writeFolded(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const notes = new NoteList()
  const extended = options.extended === true
  const choice = chooseProfiles(profiles, options.type, extended)
  notes.add('profiles-left-out', 'profiles other than the first; a folded file holds one', choice.leftOut)
  for (const i of choice.profiles) countLosses(profiles, i, extended, notes)
  const lines = new Lines(profiles, choice, extended, options.annotations ?? isAnnotated(profiles, choice), notes)
  return { bytes: lines.bytes(), notes: notes.list() }
}

/** Whether the profile was read with marks on its frames. */
function isAnnotated({ profiles, dictionary }: Profiles, choice: FoldedChoice): boolean {
  const { attributes, strings } = dictionary
  return choice.profiles.some(profile =>
    profiles
      .attributesOf(profile)
      .some(
        row => strings.text(attributes.key(row)) === FOLDED_ATTRIBUTES.annotations && attributes.value(row) === true,
      ),
  )
}

class Lines {
  readonly #payload: Profiles
  readonly #choice: FoldedChoice
  readonly #extended: boolean
  readonly #stacks: FoldedStackTexts
  readonly #sets: AttributeTexts
  /** Decimals of the written values. */
  readonly #decimals: number
  /** The key of a sum: a stack's text, and in extended lines also a set of attributes. */
  readonly #keys = new SequenceInterner()
  readonly #key = new Int32Array(2)
  readonly #sums = new ExactSums()
  readonly #sumsAfter = new ExactSums()
  /**
   * Columns: the text of the line's stack, and the start of the rest of the line in `tails`. It ends where the next one
   * starts.
   */
  readonly #rows = new GrowingInts(1024)
  readonly #tails = new GrowingBytes(4096)
  #timestampsOnly = false

  constructor(payload: Profiles, choice: FoldedChoice, extended: boolean, annotations: boolean, notes: NoteList) {
    this.#payload = payload
    this.#choice = choice
    this.#extended = extended
    this.#stacks = new FoldedStackTexts(payload.dictionary, { annotations, escaped: extended }, notes)
    this.#sets = new AttributeTexts(payload.dictionary, notes)
    const [first] = choice.profiles
    const unit = first === undefined ? '' : payload.dictionary.strings.text(payload.profiles.unit(first))
    this.#decimals = extended ? 0 : unscaledUnit(unit).places
    for (const profile of choice.profiles) this.#addProfile(profile, this.#sums)
    if (choice.after !== undefined) this.#addProfile(choice.after, this.#sumsAfter)
    this.#addSums()
  }

  bytes(): Uint8Array {
    const starts = new Int32Array(this.#rows.length / ROW_STRIDE + 1)
    const unsorted = this.#join(starts)
    const isPlain = !this.#extended && this.#choice.after === undefined
    const isMisleading = isPlain && this.#isMisleading()
    // Keeps two copies of a text of hundreds of megabytes, not more: the unsorted and the sorted lines.
    this.#stacks.release()
    const order = sortLines(unsorted, starts)
    const header = this.#header(beginsWith(unsorted, starts[order[0] ?? 0], BYTE_ORDER_MARK), isMisleading)
    const bytes = new Uint8Array(header.length + starts[order.length])
    bytes.set(header)
    let to = header.length
    for (const i of order) {
      to = copyBytes(unsorted, starts[i], starts[i + 1], bytes, to)
    }
    return bytes
  }

  /** All lines with their line breaks, unsorted, and four spare bytes. Sets the start of each line. */
  #join(starts: Int32Array): Uint8Array {
    const { array, length } = this.#rows
    const stacks = this.#stacks
    const tails = this.#tails
    let size = tails.length + length / ROW_STRIDE
    for (let row = 0; row < length; row += ROW_STRIDE) size += stacks.length(array[row])
    if (size > MAX_BYTES) throw new RangeError(`folded: the text would be ${size} bytes, more than 2 GiB`)
    const bytes = new Uint8Array(size + 4)
    let to = 0
    for (let row = 0, i = 0; row < length; row += ROW_STRIDE, i++) {
      starts[i] = to
      const offset = stacks.offset(array[row])
      to = copyBytes(stacks.bytes, offset, offset + stacks.length(array[row]), bytes, to)
      const tailTo = row + ROW_STRIDE < length ? array[row + ROW_STRIDE + 1] : tails.length
      to = copyBytes(tails.array, array[row + 1], tailTo, bytes, to)
      bytes[to++] = LF
    }
    starts[starts.length - 1] = to
    return bytes
  }

  #addProfile(profile: number, sums: ExactSums): void {
    const { profiles, samples } = this.#payload
    const { values } = samples
    for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
      const text = this.#stacks.text(samples.stack(i))
      const set = this.#extended ? this.#sets.set(samples.attributesOf(i), samples.link(i)) : NO_SET
      const timestamps = samples.timestampsTo(i) - samples.timestampsFrom(i)
      if (this.#extended && timestamps > 0) this.#addObservations(i, text, set)
      else {
        const sum = this.#sum(text, set)
        const from = samples.valuesFrom(i)
        const to = samples.valuesTo(i)
        if (from === to) sums.add(sum, timestamps, 0)
        for (let k = from; k < to; k++) sums.add(sum, values.lo(k), values.hi(k))
      }
    }
  }

  #sum(text: number, set: number): number {
    if (!this.#extended) return text
    this.#key[0] = text
    this.#key[1] = set
    return this.#keys.intern(this.#key, 0, 2)
  }

  #addObservations(sample: number, text: number, set: number): void {
    const { samples } = this.#payload
    const values = samples.values.signed()
    const times = samples.timestamps.unsigned()
    const from = samples.timestampsFrom(sample)
    const valuesFrom = samples.valuesFrom(sample)
    const valued = samples.valuesTo(sample) > valuesFrom
    if (!valued) this.#timestampsOnly = true
    for (let k = from; k < samples.timestampsTo(sample); k++) {
      const value = valued ? values[valuesFrom + k - from] : 1n
      this.#addLine(text, `${value}${this.#setText(set)} ${times[k]}`)
    }
  }

  #addSums(): void {
    if (this.#extended) {
      const { pool } = this.#keys
      for (let i = 0; i < this.#keys.length; i++) {
        this.#addLine(pool.array[2 * i], `${this.#sums.get(i)}${this.#setText(pool.array[2 * i + 1])}`)
      }
      return
    }
    const decimals = this.#decimals
    const after = this.#choice.after !== undefined
    for (let text = 1; text < this.#stacks.count; text++) {
      const value = decimalText(this.#sums.get(text), decimals)
      this.#addLine(text, after ? `${value} ${decimalText(this.#sumsAfter.get(text), decimals)}` : value)
    }
  }

  #setText(set: number): string {
    return set === NO_SET ? '' : ` ${this.#sets.text(set)}`
  }

  #addLine(text: number, rest: string): void {
    this.#rows.push(text)
    this.#rows.push(this.#tails.length)
    const bytes = encodeUtf8(` ${rest}`)
    this.#tails.append(bytes, 0, bytes.length)
  }

  /** The header, with only the keys that the lines need to be read correctly. `marked`: they begin with U+FEFF. */
  #header(marked: boolean, isMisleading: boolean): Uint8Array {
    const [first] = this.#choice.profiles
    if (first === undefined) return EMPTY
    if (!this.#extended) {
      if (isMisleading) return PLAIN_HEADER
      // Readers drop one mark, so a name that begins with it needs another.
      return marked ? BYTE_ORDER_MARK : EMPTY
    }
    const { profiles, dictionary } = this.#payload
    return formatHeader({
      dialect: 'extended',
      timestampsOnly: this.#timestampsOnly,
      profile: {
        type: dictionary.strings.text(profiles.type(first)),
        unit: dictionary.strings.text(profiles.unit(first)),
        periodType: dictionary.strings.text(profiles.periodType(first)),
        periodUnit: dictionary.strings.text(profiles.periodUnit(first)),
        period: profiles.period(first),
        timeUnixNano: profiles.time(first),
        durationNano: profiles.duration(first),
      },
    })
  }

  /** Whether names that end in numbers make plain lines look differential or extended. */
  #isMisleading(): boolean {
    const { array, length } = this.#rows
    const stacks = this.#stacks
    const tail = new LineTail()
    let pairs = 0
    for (let row = 0; row < length; row += ROW_STRIDE) {
      const from = stacks.offset(array[row])
      const kind = tail.kindOfStack(stacks.bytes, from, from + stacks.length(array[row]))
      if (kind === 'timed') return true
      if (kind === 'two') pairs++
    }
    return pairs > 0 && pairs === length / ROW_STRIDE
  }
}

function beginsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  return start.every((byte, i) => bytes[at + i] === byte)
}

/** Returns the end of the copy. A loop is faster than `set(subarray)` for short lines. */
function copyBytes(source: Uint8Array, from: number, to: number, target: Uint8Array, at: number): number {
  if (to - from < 48) for (let i = from, k = at; i < to; i++) target[k++] = source[i]
  else target.set(source.subarray(from, to), at)
  return at + to - from
}

const PLAIN_HEADER = formatHeader({ dialect: 'plain', profile: {} })
