// Labels into attributes. A label with a text is a string, one with a number is an int with its unit. A key that occurs
// several times in a sample, which attributes may not, becomes one attribute with all its values in an array; a number with a
// unit of its own in there is a list of value and unit. `trace_id` and `span_id` together are the sample's link.
import type { AnyValue } from '../../model/columns/any-value.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { int64 } from '../../model/columns/int64.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import type { AttributeRows } from './attribute-rows.ts'
import type { PprofColumns } from './columns.ts'
import { SAMPLE_ROW } from './columns.ts'
import { LABEL_ROW } from './label-table.ts'

const NO_KEYS: ReadonlySet<number> = new Set()

/** Checks the row of a string. */
export type CheckedString = (string: number, label: number) => number

/**
 * Makes the attributes of all samples. Returns the link of each sample, undefined where none has one. Where keys are repeated
 * or labels are links, the ends of the samples' lists are changed.
 */
export function readLabels(columns: PprofColumns, rows: AttributeRows, checked: CheckedString): Int32Array | undefined {
  const { labels, draft } = columns
  if (labels.length === 0) return undefined
  const trace = keyNamed(columns, rows, 'trace_id')
  const span = trace < 0 ? -1 : keyNamed(columns, rows, 'span_id')
  if (labels.repeats || span >= 0) return new LabelReader(columns, rows, checked, trace, span).read()
  // The number of a label is the row of its attribute, as long as these are the first ones.
  for (let label = 0; label < labels.length; label++) pushAttribute(columns, rows, checked, label)
  const { list } = labels
  const { array } = list
  list.array = draft.sampleAttributes.array
  draft.sampleAttributes.array = array
  draft.sampleAttributes.length = list.length
  return undefined
}

function pushAttribute(columns: PprofColumns, rows: AttributeRows, checked: CheckedString, label: number): number {
  const labels = columns.labels.rows
  const at = label * LABEL_ROW
  const key = checked(labels[at], label)
  const string = checked(labels[at + 1], label)
  const unit = checked(labels[at + 4], label)
  if (string !== 0) {
    const { array } = columns.draft.strings
    // A text may carry a unit only by mistake; it is kept all the same.
    return rows.row(key, unit, ValueKind.string, array[2 * string], array[2 * string + 1])
  }
  const isEmpty = (labels[at + 2] | labels[at + 3] | unit) === 0
  return rows.row(key, unit, isEmpty ? ValueKind.empty : ValueKind.int, labels[at + 2], labels[at + 3])
}

/** The string that labels have for a key of this name; -1 if none has. */
function keyNamed({ labels, draft }: PprofColumns, rows: AttributeRows, name: string): number {
  const { array, length } = draft.strings
  for (let at = 0; at < labels.length * LABEL_ROW; at += LABEL_ROW) {
    const key = labels.rows[at]
    if (key >>> 0 < length / 2 && array[2 * key + 1] === name.length && rows.textOf(key) === name) return key
  }
  return -1
}

/** The way of files in which attributes are not just the labels. */
class LabelReader {
  readonly #columns: PprofColumns
  readonly #labels: Int32Array
  /** Numbers of labels, from 1. */
  readonly #list: Int32Array
  readonly #rows: AttributeRows
  readonly #checked: CheckedString
  /** By label, 0 until it is asked for. */
  readonly #attributes: Int32Array
  /** Labels that share a key, each run with the attribute that they became. */
  readonly #knownRuns = new SequenceInterner()
  readonly #runAttributes: number[] = []
  /** Texts of a trace id and a span id, each pair with the link that they became, 0 if none. */
  readonly #knownPairs = new SequenceInterner()
  readonly #pairLinks: number[] = []
  readonly #traceKey: number
  readonly #spanKey: number

  constructor(columns: PprofColumns, rows: AttributeRows, checked: CheckedString, traceKey: number, spanKey: number) {
    this.#columns = columns
    this.#labels = columns.labels.rows
    this.#list = columns.labels.list.array
    this.#rows = rows
    this.#checked = checked
    this.#attributes = new Int32Array(columns.labels.length)
    this.#traceKey = traceKey
    this.#spanKey = spanKey
  }

  read(): Int32Array {
    const { samples, draft } = this.#columns
    const { sampleAttributes } = draft
    const links = new Int32Array(samples.length / SAMPLE_ROW)
    let from = 0
    for (let i = 0, at = 2; i < links.length; i++, at += SAMPLE_ROW) {
      const to = samples.array[at]
      if (from < to) links[i] = this.#sample(from, to, sampleAttributes)
      samples.array[at] = sampleAttributes.length
      from = to
    }
    return links
  }

  /** Pushes the attributes of the labels [from, to) of the list and returns the link. */
  #sample(from: number, to: number, attributes: GrowingInts): number {
    const link = this.#spanKey < 0 ? 0 : this.#link(from, to)
    const isLink = (key: number): boolean => link !== 0 && (key === this.#traceKey || key === this.#spanKey)
    const repeated = this.#repeatedKeys(from, to)
    for (let i = from; i < to; i++) {
      const key = this.#labels[this.#at(i)]
      if (!isLink(key) && !repeated.has(key)) attributes.push(this.#single(this.#list[i] - 1))
    }
    if (repeated.size > 0) for (const run of this.#runs(repeated, from, to)) attributes.push(this.#several(run))
    return link
  }

  /** The columns of the i-th label of the list. */
  #at(i: number): number {
    return (this.#list[i] - 1) * LABEL_ROW
  }

  #single(label: number): number {
    if (this.#attributes[label] === 0) {
      this.#attributes[label] = pushAttribute(this.#columns, this.#rows, this.#checked, label)
    }
    return this.#attributes[label]
  }

  /** The labels of each repeated key, one behind the other. */
  #runs(repeated: ReadonlySet<number>, from: number, to: number): Iterable<Int32Array> {
    const runs = new Map<number, GrowingInts>(Array.from(repeated, key => [key, new GrowingInts()]))
    for (let i = from; i < to; i++) runs.get(this.#labels[this.#at(i)])?.push(this.#list[i] - 1)
    return Array.from(runs.values(), run => run.view())
  }

  #several(run: Int32Array): number {
    const known = this.#knownRuns.intern(run, 0, run.length)
    if (known === this.#runAttributes.length) {
      const values: AnyValue[] = []
      for (const label of run) values.push(this.#value(label))
      this.#runAttributes.push(this.#rows.nested(this.#checked(this.#labels[run[0] * LABEL_ROW], run[0]), values))
    }
    return this.#runAttributes[known]
  }

  #value(label: number): AnyValue {
    const at = label * LABEL_ROW
    const string = this.#checked(this.#labels[at + 1], label)
    const unit = this.#checked(this.#labels[at + 4], label)
    if (string !== 0) return this.#rows.textOf(string)
    const number = int64(this.#labels[at + 2], this.#labels[at + 3])
    if (unit === 0) return number === 0n ? undefined : number
    return {
      entries: [
        { key: 'value', value: number },
        { key: 'unit', value: this.#rows.textOf(unit) },
      ],
    }
  }

  /** The row of the link, 0 if the labels don't make one: a trace id and a span id, once each, in lower-case hex. */
  #link(from: number, to: number): number {
    if (this.#count(this.#traceKey, from, to) !== 1 || this.#count(this.#spanKey, from, to) !== 1) return 0
    const pair = Int32Array.of(this.#stringOf(this.#traceKey, from), this.#stringOf(this.#spanKey, from))
    const known = this.#knownPairs.intern(pair, 0, 2)
    if (known === this.#pairLinks.length) this.#pairLinks.push(this.#newLink(pair[0], pair[1]))
    return this.#pairLinks[known]
  }

  #newLink(traceId: number, spanId: number): number {
    if (traceId === 0 || spanId === 0) return 0
    const trace = hexBytes(this.#rows.textOf(traceId), 16)
    const span = hexBytes(this.#rows.textOf(spanId), 8)
    if (trace === undefined || span === undefined) return 0
    const { links } = this.#columns.draft
    for (const int of [this.#rows.append(trace), 16, this.#rows.append(span), 8]) links.push(int)
    return links.length / 4 - 1
  }

  #repeatedKeys(from: number, to: number): ReadonlySet<number> {
    if (from + 1 === to) return NO_KEYS
    const seen = new Set<number>()
    const repeated = new Set<number>()
    for (let i = from; i < to; i++) {
      const key = this.#labels[this.#at(i)]
      if (seen.has(key)) repeated.add(key)
      seen.add(key)
    }
    return repeated
  }

  #count(key: number, from: number, to: number): number {
    let count = 0
    for (let i = from; i < to; i++) if (this.#labels[this.#at(i)] === key) count++
    return count
  }

  /** The text of the first label with that key. */
  #stringOf(key: number, from: number): number {
    let i = from
    while (this.#labels[this.#at(i)] !== key) i++
    return this.#checked(this.#labels[this.#at(i) + 1], this.#list[i] - 1)
  }
}

/** undefined unless it is just so many bytes in lower-case hex, not all of them zero: only then can it be written back. */
function hexBytes(text: string, length: number): Uint8Array | undefined {
  if (text.length !== 2 * length || !/^[0-9a-f]+$/.test(text) || /^0+$/.test(text)) return undefined
  return Uint8Array.from({ length }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))
}
