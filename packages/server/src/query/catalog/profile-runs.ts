// The profiles of a series by time, as runs of profiles of the same form. A run of one profile is exact. Old runs are merged
// to save memory: then a range that cuts a run needs the store.

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

const COLUMNS = 10
/** Columns of a run. Times are two words each, low first. */
const [FORM, COUNT, FIRST, LAST, RECEIVED_FIRST, RECEIVED_LAST] = [0, 1, 2, 4, 6, 8]

export class ProfileRuns {
  #words = new Int32Array(4 * COLUMNS)
  length = 0

  /** Adds a run from columns of words: two per row. */
  add(form: number, count: number, row: number, times: RunColumns): void {
    const at = this.length++ * COLUMNS
    if (at === this.#words.length) {
      const grown = new Int32Array(2 * at)
      grown.set(this.#words)
      this.#words = grown
    }
    const words = this.#words
    words[at + FORM] = form
    words[at + COUNT] = count
    for (const [column, source] of [
      [FIRST, times.first],
      [LAST, times.last],
      [RECEIVED_FIRST, times.receivedFirst],
      [RECEIVED_LAST, times.receivedLast],
    ] as const) {
      words[at + column] = source[2 * row]
      words[at + column + 1] = source[2 * row + 1]
    }
  }

  /** The profiles in the range by form. Undefined if a run is only partly in the range. */
  within({ from, to, receivedBefore = LAST_TIME }: RunRange): Map<number, FormPresence> | undefined {
    const found = new Map<number, { count: number; first: number; last: number }>()
    const words = this.#words
    const limit = receivedBefore < LAST_TIME ? receivedBefore : LAST_TIME
    const bounds = new Int32Array(BigInt64Array.of(from, to, limit).buffer)
    const isBefore = (at: number, bound: number): boolean => {
      const hi = words[at + 1]
      return hi === bounds[bound + 1] ? words[at] >>> 0 < bounds[bound] >>> 0 : hi < bounds[bound + 1]
    }
    for (let at = 0; at < this.length * COLUMNS; at += COLUMNS) {
      if (isBefore(at + LAST, 0) || !isBefore(at + FIRST, 2) || !isBefore(at + RECEIVED_FIRST, 4)) continue
      if (isBefore(at + FIRST, 0) || !isBefore(at + LAST, 2) || !isBefore(at + RECEIVED_LAST, 4)) return undefined
      const form = found.get(words[at + FORM])
      if (form === undefined) {
        found.set(words[at + FORM], { count: words[at + COUNT], first: at + FIRST, last: at + LAST })
        continue
      }
      form.count += words[at + COUNT]
      if (isLess(words, at + FIRST, form.first)) form.first = at + FIRST
      if (isLess(words, form.last, at + LAST)) form.last = at + LAST
    }
    const present = new Map<number, FormPresence>()
    for (const [form, { count, first, last }] of found)
      present.set(form, { profiles: count, first: timeAt(words, first), last: timeAt(words, last) })
    return present
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
    this.#words = words.slice(0, Math.max(4, length) * COLUMNS)
  }
}

/** The times of runs: words of 64-bit columns. */
export interface RunColumns {
  readonly first: Int32Array
  readonly last: Int32Array
  readonly receivedFirst: Int32Array
  readonly receivedLast: Int32Array
}

const LAST_TIME = 2n ** 63n - 1n
export const HOUR = 3_600_000_000_000n

function isLess(words: Int32Array, a: number, b: number): boolean {
  const [aHi, bHi] = [words[a + 1], words[b + 1]]
  return aHi === bHi ? words[a] >>> 0 < words[b] >>> 0 : aHi < bHi
}

function timeAt(words: Int32Array, at: number): bigint {
  return (BigInt(words[at + 1]) << 32n) | BigInt(words[at] >>> 0)
}
