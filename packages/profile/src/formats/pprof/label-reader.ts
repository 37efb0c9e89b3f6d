// Labels into attributes. A label with a text is a string, one with a number is an int with its unit. A key that occurs
// several times in a sample, which attributes may not, becomes one attribute with all its values in an array; a number with a
// unit of its own in there is a list of value and unit. `trace_id` and `span_id` together are the sample's link.
import type { AnyValue } from '../../model/any-value.ts'
import { ValueKind } from '../../model/dictionary.ts'
import { GrowingInts } from '../../model/growing-columns.ts'
import { int64 } from '../../model/int64.ts'
import { SequenceInterner } from '../../model/intern.ts'
import type { ProfilesDraft } from '../../model/profiles-draft.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import type { AttributeRows } from './attribute-rows.ts'
import type { PprofColumns } from './columns.ts'
import { LABEL_ROW } from './columns.ts'

const FEW_LABELS = 12
const NO_KEYS: ReadonlySet<number> = new Set()

export class LabelReader {
  readonly #labels: Int32Array
  readonly #rows: AttributeRows
  readonly #draft: ProfilesDraft
  readonly #checked: (string: number) => number
  /** Labels seen, each with the attribute that it became. */
  readonly #known = new SequenceInterner()
  readonly #attributes: number[] = []
  /** Labels that share a key, each run with the attribute that they became. */
  readonly #knownRuns = new SequenceInterner()
  readonly #runAttributes: number[] = []
  readonly #links = new SequenceInterner()
  readonly #traceKey: number
  readonly #spanKey: number

  constructor(columns: PprofColumns, rows: AttributeRows, draft: ProfilesDraft, checked: (string: number) => number) {
    this.#labels = columns.labels.array
    this.#rows = rows
    this.#draft = draft
    this.#checked = checked
    this.#traceKey = columns.labels.length === 0 ? -1 : this.#find('trace_id')
    this.#spanKey = this.#traceKey < 0 ? -1 : this.#find('span_id')
    this.#links.intern(new Int32Array(2), 0, 2)
    for (let i = 0; i < 4; i++) draft.links.push(0)
  }

  /** Pushes the attributes of the labels [from, to) and returns the link. */
  read(from: number, to: number, attributes: GrowingInts): number {
    if (from === to) return 0
    const link = this.#spanKey < 0 ? 0 : this.#link(from, to)
    const isLink = (key: number): boolean => link !== 0 && (key === this.#traceKey || key === this.#spanKey)
    const repeated = this.#repeatedKeys(from, to)
    for (let i = from; i < to; i++) {
      const key = this.#labels[i * LABEL_ROW]
      if (!isLink(key) && !repeated.has(key)) attributes.push(this.#single(i))
    }
    if (repeated.size > 0) for (const run of this.#runs(repeated, from, to)) attributes.push(this.#several(run))
    return link
  }

  #single(i: number): number {
    const at = i * LABEL_ROW
    const known = this.#known.intern(this.#labels, at, at + LABEL_ROW)
    if (known === this.#attributes.length) this.#attributes.push(this.#attribute(at))
    return this.#attributes[known]
  }

  #attribute(at: number): number {
    const labels = this.#labels
    const key = this.#checked(labels[at])
    const string = this.#checked(labels[at + 1])
    const unit = this.#checked(labels[at + 4])
    const { strings } = this.#draft
    if (string !== 0) {
      // A text may carry a unit only by mistake; it is kept all the same.
      return this.#rows.row(key, unit, ValueKind.string, strings.array[2 * string], strings.array[2 * string + 1])
    }
    const isEmpty = (labels[at + 2] | labels[at + 3] | unit) === 0
    return this.#rows.row(key, unit, isEmpty ? ValueKind.empty : ValueKind.int, labels[at + 2], labels[at + 3])
  }

  /** The labels of each repeated key, one behind the other. */
  #runs(repeated: ReadonlySet<number>, from: number, to: number): Iterable<Int32Array> {
    const labels = this.#labels
    const runs = new Map<number, GrowingInts>(Array.from(repeated, key => [key, new GrowingInts()]))
    for (let i = from; i < to; i++) runs.get(labels[i * LABEL_ROW])?.pushAll(labels, i * LABEL_ROW, (i + 1) * LABEL_ROW)
    return Array.from(runs.values(), run => run.view())
  }

  #several(run: Int32Array): number {
    const known = this.#knownRuns.intern(run, 0, run.length)
    if (known === this.#runAttributes.length) {
      const values: AnyValue[] = []
      for (let at = 0; at < run.length; at += LABEL_ROW) values.push(this.#value(run, at))
      this.#runAttributes.push(this.#rows.nested(this.#checked(run[0]), values))
    }
    return this.#runAttributes[known]
  }

  #value(run: Int32Array, at: number): AnyValue {
    const string = this.#checked(run[at + 1])
    const unit = this.#checked(run[at + 4])
    if (string !== 0) return this.#text(string)
    const number = int64(run[at + 2], run[at + 3])
    if (unit === 0) return number === 0n ? undefined : number
    return {
      entries: [
        { key: 'value', value: number },
        { key: 'unit', value: this.#text(unit) },
      ],
    }
  }

  /** The row of the link, 0 if the labels don't make one: a trace id and a span id, once each, in lower-case hex. */
  #link(from: number, to: number): number {
    if (this.#count(this.#traceKey, from, to) !== 1 || this.#count(this.#spanKey, from, to) !== 1) return 0
    const key = new Int32Array(2)
    key[0] = this.#labels[this.#firstOf(this.#traceKey, from) * LABEL_ROW + 1]
    key[1] = this.#labels[this.#firstOf(this.#spanKey, from) * LABEL_ROW + 1]
    if (key[0] === 0 || key[1] === 0) return 0
    const trace = hexBytes(this.#text(this.#checked(key[0])), 16)
    const span = hexBytes(this.#text(this.#checked(key[1])), 8)
    if (trace === undefined || span === undefined) return 0
    const row = this.#links.intern(key, 0, 2)
    const { links } = this.#draft
    if (row === links.length / 4) {
      for (const int of [this.#rows.append(trace), 16, this.#rows.append(span), 8]) links.push(int)
    }
    return row
  }

  #repeatedKeys(from: number, to: number): ReadonlySet<number> {
    const labels = this.#labels
    if (to - from <= FEW_LABELS) {
      // Looking at each pair is quicker than a set while labels are few, as they nearly always are.
      let repeats = false
      for (let i = from + 1; i < to; i++)
        for (let k = from; k < i; k++) if (labels[i * LABEL_ROW] === labels[k * LABEL_ROW]) repeats = true
      if (!repeats) return NO_KEYS
    }
    const seen = new Set<number>()
    const repeated = new Set<number>()
    for (let i = from; i < to; i++) {
      const key = labels[i * LABEL_ROW]
      if (seen.has(key)) repeated.add(key)
      seen.add(key)
    }
    return repeated
  }

  #count(key: number, from: number, to: number): number {
    let count = 0
    for (let i = from; i < to; i++) if (this.#labels[i * LABEL_ROW] === key) count++
    return count
  }

  #firstOf(key: number, from: number): number {
    let i = from
    while (this.#labels[i * LABEL_ROW] !== key) i++
    return i
  }

  #find(name: string): number {
    const { strings } = this.#draft
    for (let row = 0; row < strings.length / 2; row++) {
      if (strings.array[2 * row + 1] === name.length && this.#text(row) === name) return row
    }
    return -1
  }

  #text(string: number): string {
    const { array } = this.#draft.strings
    const bytes = this.#rows.slice(array[2 * string], array[2 * string + 1])
    return decodeUtf8(bytes, 0, bytes.length)
  }
}

/** undefined unless it is just so many bytes in lower-case hex, not all of them zero: only then can it be written back. */
function hexBytes(text: string, length: number): Uint8Array | undefined {
  if (text.length !== 2 * length || !/^[0-9a-f]+$/.test(text) || /^0+$/.test(text)) return undefined
  return Uint8Array.from({ length }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))
}
