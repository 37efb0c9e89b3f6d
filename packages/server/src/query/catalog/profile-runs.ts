// The profiles of a series by time, as runs of profiles of the same form. A run of one profile is exact. Old runs are merged
// to save memory: then a range that cuts a run cannot be answered from memory.
//
// Runs are in blocks. A full block has a summary, so that a list reads single runs only of blocks that its range cuts:
//
//   runs      0 … 63    64 … 127   128 … 140
//   blocks    summary   summary    (not full)

/** A range of times, and a limit of the times of receipt. Both ends and the limit are exclusive above. */
export interface RunRange {
  readonly from: bigint
  readonly to: bigint
  readonly receivedBefore: bigint | undefined
}

export interface FormPresence {
  profiles: number
  first: bigint
  last: bigint
}

/** The steps of a chart. Steps begin at the start of the range. */
export interface RunSteps {
  readonly range: RunRange
  /** Nanoseconds. */
  readonly step: number
  readonly isSelected: (form: number) => boolean
}

/** The sum of the profiles of one step, as two words. Each counts up to 2^21 profiles exactly. */
export interface StepSum {
  low: number
  high: number
  profiles: number
}

const COLUMNS = 12
/** Columns of a run. Times and the total are two words each, low first. */
const [FORM, COUNT, FIRST, LAST, RECEIVED_FIRST, RECEIVED_LAST, TOTAL] = [0, 1, 2, 4, 6, 8, 10]
const BLOCK = 64
const BLOCK_WORDS = BLOCK * COLUMNS

/** Runs in memory: the places of words with the first and last times, and the number of profiles. */
interface Extent {
  count: number
  first: number
  last: number
}

interface Summary {
  readonly first: number
  readonly last: number
  readonly receivedFirst: number
  readonly receivedLast: number
  readonly forms: ReadonlyMap<number, Extent>
}

export class ProfileRuns {
  #words = new Int32Array(4 * COLUMNS)
  /** The summaries of full blocks, in their order. Made when a query needs them. */
  #summaries: Summary[] = []
  length = 0

  /** Adds a run from columns of words: two per row. */
  add(form: number, count: number, row: number, columns: RunColumns): void {
    const at = this.length++ * COLUMNS
    if (at === this.#words.length) {
      const grown = new Int32Array(2 * at)
      grown.set(this.#words)
      this.#words = grown
    }
    const words = this.#words
    words[at + FORM] = form
    words[at + COUNT] = count
    copyWords(words, at + FIRST, columns.first, row)
    copyWords(words, at + LAST, columns.last, row)
    copyWords(words, at + RECEIVED_FIRST, columns.receivedFirst, row)
    copyWords(words, at + RECEIVED_LAST, columns.receivedLast, row)
    copyWords(words, at + TOTAL, columns.total, row)
  }

  /** The profiles in the range by form. Undefined if a run is only partly in the range. */
  within(bounds: RunBounds): Map<number, FormPresence> | undefined {
    const words = this.#words
    const found = new Map<number, Extent>()
    const end = this.length * COLUMNS
    for (let at = 0, block = 0; at < end; at += BLOCK_WORDS, block++) {
      const summary = this.#summary(block)
      const place = summary === undefined ? 'cut' : placeOf(words, summary, bounds)
      if (place === 'outside') continue
      if (place === 'inside') {
        for (const [form, { count, first, last }] of summary!.forms) addExtent(words, found, form, count, first, last)
        continue
      }
      for (let run = at; run < Math.min(at + BLOCK_WORDS, end); run += COLUMNS) {
        const own = placeOfRun(words, run, bounds)
        if (own === 'cut') return undefined
        if (own === 'inside') addRun(words, found, run)
      }
    }
    const present = new Map<number, FormPresence>()
    for (const [form, { count, first, last }] of found)
      present.set(form, { profiles: count, first: timeAt(words, first), last: timeAt(words, last) })
    return present
  }

  /** Adds the totals in the range to the sums by step. False if memory has no totals of single profiles. */
  addTotals({ range, step, isSelected }: RunSteps, sums: Map<number, StepSum>): boolean {
    const words = this.#words
    const bounds = boundsOf(range)
    const [fromLow, fromHigh] = [bounds[0] >>> 0, bounds[1]]
    const end = this.length * COLUMNS
    for (let at = 0, block = 0; at < end; at += BLOCK_WORDS, block++) {
      const summary = this.#summary(block)
      if (summary !== undefined && placeOf(words, summary, bounds) === 'outside') continue
      for (let run = at; run < Math.min(at + BLOCK_WORDS, end); run += COLUMNS) {
        if (placeOfRun(words, run, bounds) === 'outside' || !isSelected(words[run + FORM])) continue
        if (words[run + COUNT] !== 1) return false
        const offset = (words[run + FIRST + 1] - fromHigh) * 2 ** 32 + (words[run + FIRST] >>> 0) - fromLow
        const number = Math.floor(offset / step)
        const sum = sums.get(number)
        const [low, high] = [words[run + TOTAL] >>> 0, words[run + TOTAL + 1]]
        if (sum === undefined) sums.set(number, { low, high, profiles: 1 })
        else {
          sum.low += low
          sum.high += high
          sum.profiles++
        }
      }
    }
    return true
  }

  /** Merges runs of the same form that end before the time and are in the same hour. */
  coarsen(before: bigint): void {
    const words = this.#words
    const merged = new Map<string, number>()
    let length = 0
    for (let from = 0; from < this.length * COLUMNS; from += COLUMNS) {
      const first = timeAt(words, from + FIRST)
      const last = timeAt(words, from + LAST)
      const isMergeable = last < before && first / HOUR === last / HOUR
      const key = `${words[from + FORM]} ${first / HOUR}`
      const into = isMergeable ? merged.get(key) : undefined
      if (into === undefined) {
        const at = length++ * COLUMNS
        if (isMergeable) merged.set(key, at)
        words.copyWithin(at, from, from + COLUMNS)
        continue
      }
      words[into + COUNT] += words[from + COUNT]
      for (const column of [FIRST, RECEIVED_FIRST])
        if (isLess(words, from + column, into + column))
          words.copyWithin(into + column, from + column, from + column + 2)
      for (const column of [LAST, RECEIVED_LAST])
        if (isLess(words, into + column, from + column))
          words.copyWithin(into + column, from + column, from + column + 2)
    }
    this.length = length
    this.#summaries = []
    this.#words = words.slice(0, Math.max(4, length) * COLUMNS)
  }

  /** Undefined if the block is not full. */
  #summary(block: number): Summary | undefined {
    if ((block + 1) * BLOCK > this.length) return undefined
    return (this.#summaries[block] ??= summarize(this.#words, block * BLOCK_WORDS))
  }
}

/** The times and totals of runs: words of 64-bit columns. */
export interface RunColumns {
  readonly first: Int32Array
  readonly last: Int32Array
  readonly receivedFirst: Int32Array
  readonly receivedLast: Int32Array
  /** The total of any profile of the run. */
  readonly total: Int32Array
}

const LAST_TIME = 2n ** 63n - 1n
export const HOUR = 3_600_000_000_000n

function copyWords(words: Int32Array, at: number, source: Int32Array, row: number): void {
  words[at] = source[2 * row]
  words[at + 1] = source[2 * row + 1]
}

function summarize(words: Int32Array, from: number): Summary {
  const forms = new Map<number, Extent>()
  let [first, last, receivedFirst, receivedLast] = [FIRST, LAST, RECEIVED_FIRST, RECEIVED_LAST].map(each => from + each)
  for (let run = from; run < from + BLOCK_WORDS; run += COLUMNS) {
    addRun(words, forms, run)
    if (isLess(words, run + FIRST, first)) first = run + FIRST
    if (isLess(words, last, run + LAST)) last = run + LAST
    if (isLess(words, run + RECEIVED_FIRST, receivedFirst)) receivedFirst = run + RECEIVED_FIRST
    if (isLess(words, receivedLast, run + RECEIVED_LAST)) receivedLast = run + RECEIVED_LAST
  }
  return { first, last, receivedFirst, receivedLast, forms }
}

function addRun(words: Int32Array, to: Map<number, Extent>, run: number): void {
  addExtent(words, to, words[run + FORM], words[run + COUNT], run + FIRST, run + LAST)
}

function addExtent(
  words: Int32Array,
  to: Map<number, Extent>,
  form: number,
  count: number,
  first: number,
  last: number,
): void {
  const known = to.get(form)
  if (known === undefined) {
    to.set(form, { count, first, last })
    return
  }
  known.count += count
  if (isLess(words, first, known.first)) known.first = first
  if (isLess(words, known.last, last)) known.last = last
}

/** The start, the end and the limit of receipt of a range, as words. */
export type RunBounds = Int32Array

export function boundsOf({ from, to, receivedBefore = LAST_TIME }: RunRange): RunBounds {
  const limit = receivedBefore < LAST_TIME ? receivedBefore : LAST_TIME
  return new Int32Array(BigInt64Array.of(from, to, limit).buffer)
}

type Place = 'inside' | 'outside' | 'cut'

function placeOfRun(words: Int32Array, run: number, bounds: Int32Array): Place {
  return placeIn(words, bounds, run + FIRST, run + LAST, run + RECEIVED_FIRST, run + RECEIVED_LAST)
}

function placeOf(words: Int32Array, summary: Summary, bounds: Int32Array): Place {
  const { first, last, receivedFirst, receivedLast } = summary
  return placeIn(words, bounds, first, last, receivedFirst, receivedLast)
}

function placeIn(
  words: Int32Array,
  bounds: Int32Array,
  first: number,
  last: number,
  receivedFirst: number,
  receivedLast: number,
): Place {
  if (isBefore(words, last, bounds, 0) || !isBefore(words, first, bounds, 2)) return 'outside'
  if (!isBefore(words, receivedFirst, bounds, 4)) return 'outside'
  const isCut = isBefore(words, first, bounds, 0) || !isBefore(words, last, bounds, 2)
  return isCut || !isBefore(words, receivedLast, bounds, 4) ? 'cut' : 'inside'
}

function isBefore(words: Int32Array, at: number, bounds: Int32Array, bound: number): boolean {
  const high = words[at + 1]
  const limit = bounds[bound + 1]
  return high === limit ? words[at] >>> 0 < bounds[bound] >>> 0 : high < limit
}

function isLess(words: Int32Array, a: number, b: number): boolean {
  return isBefore(words, a, words, b)
}

function timeAt(words: Int32Array, at: number): bigint {
  return (BigInt(words[at + 1]) << 32n) | BigInt(words[at] >>> 0)
}
