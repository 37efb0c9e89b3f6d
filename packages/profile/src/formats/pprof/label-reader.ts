// Turns labels into attributes. A text becomes a string, a number becomes an int with its unit. A key that repeats within a
// sample becomes one attribute with an array of all its values, because attribute keys must be unique. In such an array, a
// number with its own unit is a list of value and unit. `trace_id` and `span_id` together become the sample's link.
import type { AnyValue } from '../../model/columns/any-value.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { int64 } from '../../model/columns/int64.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import type { AttributeRows } from '../attribute-rows.ts'
import type { PprofColumns } from './columns.ts'
import { SAMPLE_ROW } from './columns.ts'
import { LABEL_ROW } from './label-table.ts'

const NO_KEYS: ReadonlySet<number> = new Set()

/** Returns the string's row, or 0 if it is not in the file. */
export type CheckedString = (string: number) => number

/**
 * Creates the attributes of all samples. Returns the link of each sample, or undefined if no sample has one. Updates the ends
 * of the samples' attribute lists if keys repeat or labels become links.
 */
export function readLabels(columns: PprofColumns, rows: AttributeRows, checked: CheckedString): Int32Array | undefined {
  const { labels, draft } = columns
  if (labels.length === 0) return undefined
  const trace = keyNamed(columns, rows, 'trace_id')
  const span = trace < 0 ? -1 : keyNamed(columns, rows, 'span_id')
  if (labels.repeats || span >= 0) return new LabelReader(columns, rows, checked, trace, span).read()
  // These are the first attributes, so the number of a label is the row of its attribute.
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
  const key = checked(labels[at])
  const string = checked(labels[at + 1])
  const unit = checked(labels[at + 4])
  if (string !== 0) {
    const { array } = columns.draft.strings
    // A text label should have no unit. If it does, the unit is preserved.
    return rows.row(key, unit, ValueKind.string, array[2 * string], array[2 * string + 1])
  }
  const isEmpty = (labels[at + 2] | labels[at + 3] | unit) === 0
  return rows.row(key, unit, isEmpty ? ValueKind.empty : ValueKind.int, labels[at + 2], labels[at + 3])
}

/** Returns the string row of a label key with this name, or -1. */
function keyNamed({ labels, draft }: PprofColumns, rows: AttributeRows, name: string): number {
  const { array, length } = draft.strings
  for (let at = 0; at < labels.length * LABEL_ROW; at += LABEL_ROW) {
    const key = labels.rows[at]
    if (key >>> 0 < length / 2 && array[2 * key + 1] === name.length && rows.stringText(key) === name) return key
  }
  return -1
}

/** Reads files in which attributes do not map one to one to labels. */
class LabelReader {
  readonly #columns: PprofColumns
  readonly #labels: Int32Array
  /** Label numbers, starting at 1. */
  readonly #list: Int32Array
  readonly #rows: AttributeRows
  readonly #checked: CheckedString
  /** Attribute row by label; 0 until it is first needed. */
  readonly #attributes: Int32Array
  /** Lists of labels that share a key. `#runAttributes` has the attribute of each list. */
  readonly #knownRuns = new SequenceInterner()
  readonly #runAttributes: number[] = []
  /** Pairs of trace id and span id strings. `#pairLinks` has the link of each pair, 0 if none. */
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

  /** Pushes the attributes of the labels [from, to) and returns the row of the sample's link. */
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

  /** The offset of the i-th listed label in the label columns. */
  #at(i: number): number {
    return (this.#list[i] - 1) * LABEL_ROW
  }

  #single(label: number): number {
    if (this.#attributes[label] === 0) {
      this.#attributes[label] = pushAttribute(this.#columns, this.#rows, this.#checked, label)
    }
    return this.#attributes[label]
  }

  /** Returns one list of labels for each repeated key. */
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
      this.#runAttributes.push(this.#rows.nested(this.#checked(this.#labels[run[0] * LABEL_ROW]), values))
    }
    return this.#runAttributes[known]
  }

  #value(label: number): AnyValue {
    const at = label * LABEL_ROW
    const string = this.#checked(this.#labels[at + 1])
    const unit = this.#checked(this.#labels[at + 4])
    if (string !== 0) return this.#rows.stringText(string)
    const number = int64(this.#labels[at + 2], this.#labels[at + 3])
    if (unit === 0) return number === 0n ? undefined : number
    return {
      entries: [
        { key: 'value', value: number },
        { key: 'unit', value: this.#rows.stringText(unit) },
      ],
    }
  }

  /** Returns the row of the link, or 0. A link needs exactly one trace id and one span id, both in lower-case hex. */
  #link(from: number, to: number): number {
    if (this.#count(this.#traceKey, from, to) !== 1 || this.#count(this.#spanKey, from, to) !== 1) return 0
    const pair = Int32Array.of(this.#stringOf(this.#traceKey, from), this.#stringOf(this.#spanKey, from))
    const known = this.#knownPairs.intern(pair, 0, 2)
    if (known === this.#pairLinks.length) this.#pairLinks.push(this.#newLink(pair[0], pair[1]))
    return this.#pairLinks[known]
  }

  #newLink(traceId: number, spanId: number): number {
    if (traceId === 0 || spanId === 0) return 0
    const trace = hexBytes(this.#rows.stringText(traceId), 16)
    const span = hexBytes(this.#rows.stringText(spanId), 8)
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

  /** The string row of the first label with that key. */
  #stringOf(key: number, from: number): number {
    let i = from
    while (this.#labels[this.#at(i)] !== key) i++
    return this.#checked(this.#labels[this.#at(i) + 1])
  }
}

/** Returns undefined unless the text is exactly `length` bytes in lower-case hex and not all zeros. Other texts would not round-trip. */
function hexBytes(text: string, length: number): Uint8Array | undefined {
  if (text.length !== 2 * length || !/^[0-9a-f]+$/.test(text) || /^0+$/.test(text)) return undefined
  return Uint8Array.from({ length }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))
}
