// Evidence of what threads did, as columns. A row says that a thread did one thing from `start` to `end`.
//
//   row     0        1         2       3
//   lane    main     main      main    main
//   kind    run      runtime   run     idle
//   start   0        9         10      30      nanoseconds since `base`
//   end     10       12        30      90
//   owner   span 4   -1        -1      -1
import type { WaitKind } from './wait-kind.ts'

/**
 * `run`: code ran. `idle`: an event loop or a thread had nothing to do. `runnable`: it waited for a CPU. `runtime`: the runtime
 * stopped it, as for a garbage collection. `lock` and `io`: it waited. `request-lock` and `request-io`: the span waited, for a timer or a
 * response, while its lane may have done anything.
 */
export const EVIDENCE_KINDS = [
  'run',
  'idle',
  'runtime',
  'lock',
  'io',
  'runnable',
  'request-lock',
  'request-io',
] as const
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number] &
  (WaitKind | `request-${WaitKind}` | 'run' | 'idle' | 'runtime' | 'runnable')

export interface EvidenceColumns {
  readonly length: number
  /** Row in the lanes. */
  readonly lane: Int32Array
  /** Index into EVIDENCE_KINDS. */
  readonly kind: Uint8Array
  /** Whole nanoseconds since the base, below 2^53. */
  readonly start: Float64Array
  readonly end: Float64Array
  /** Row of the span that was active; -1 if none is known. */
  readonly owner: Int32Array
  /** The caller's number of the stack; -1 for none. */
  readonly stack: Int32Array
  /** 1 for an estimate from samples, 0 for a measured interval. */
  readonly sampled: Uint8Array
  /** The sampling period in nanoseconds; 0 if it is the time that the row covers. */
  readonly period: Float64Array
  /** Row in the labels: the name of a measured event, such as `socket read`. */
  readonly label: Int32Array
  /** Row of the lane that had the lock for which this one waited; -1 if unknown. */
  readonly holder: Int32Array
}

export interface EvidenceRow {
  readonly lane: number
  readonly kind: EvidenceKind
  readonly start: number
  readonly end: number
  readonly owner?: number
  readonly stack?: number
  readonly sampled?: boolean
  readonly period?: number
  readonly label?: number
  readonly holder?: number
}

/** Collects rows. Rows without a duration are ignored. Columns grow, because an hour of samples has a million rows. */
export class EvidenceBuilder {
  #capacity: number
  #columns: EvidenceColumns
  #length = 0

  /** `capacity` is the expected number of rows. */
  constructor(capacity = 0) {
    this.#capacity = capacity
    this.#columns = emptyColumns(capacity)
  }

  add(row: EvidenceRow): void {
    const { lane, kind, start, end, owner = -1, stack = -1, sampled = false, period = 0, label = -1, holder = -1 } = row
    if (!(end > start)) return
    if (this.#length === this.#capacity) this.#grow()
    const at = this.#length++
    const columns = this.#columns
    columns.lane[at] = lane
    columns.kind[at] = KIND_NUMBERS[kind]
    columns.start[at] = start
    columns.end[at] = end
    columns.owner[at] = owner
    columns.stack[at] = stack
    columns.sampled[at] = sampled ? 1 : 0
    columns.period[at] = period
    columns.label[at] = label
    columns.holder[at] = holder
  }

  build(): EvidenceColumns {
    const { lane, kind, start, end, owner, stack, sampled, period, label, holder } = this.#columns
    const to = this.#length
    return {
      length: to,
      lane: lane.subarray(0, to),
      kind: kind.subarray(0, to),
      start: start.subarray(0, to),
      end: end.subarray(0, to),
      owner: owner.subarray(0, to),
      stack: stack.subarray(0, to),
      sampled: sampled.subarray(0, to),
      period: period.subarray(0, to),
      label: label.subarray(0, to),
      holder: holder.subarray(0, to),
    }
  }

  #grow(): void {
    const { lane, kind, start, end, owner, stack, sampled, period, label, holder } = this.#columns
    this.#capacity = Math.max(1024, 2 * this.#capacity)
    const grown = emptyColumns(this.#capacity)
    grown.lane.set(lane)
    grown.kind.set(kind)
    grown.start.set(start)
    grown.end.set(end)
    grown.owner.set(owner)
    grown.stack.set(stack)
    grown.sampled.set(sampled)
    grown.period.set(period)
    grown.label.set(label)
    grown.holder.set(holder)
    this.#columns = grown
  }
}

const KIND_NUMBERS = Object.fromEntries(EVIDENCE_KINDS.map((kind, i) => [kind, i])) as Readonly<
  Record<EvidenceKind, number>
>

function emptyColumns(length: number): EvidenceColumns {
  return {
    length,
    lane: new Int32Array(length),
    kind: new Uint8Array(length),
    start: new Float64Array(length),
    end: new Float64Array(length),
    owner: new Int32Array(length),
    stack: new Int32Array(length),
    sampled: new Uint8Array(length),
    period: new Float64Array(length),
    label: new Int32Array(length),
    holder: new Int32Array(length),
  }
}

/** Rows of each lane by start, with the latest end so far, so that a range finds its rows without reading all. */
export class LaneIndex {
  readonly rows: readonly Int32Array[]
  readonly #evidence: EvidenceColumns
  readonly #latest: readonly Float64Array[]

  constructor(evidence: EvidenceColumns, lanes: number) {
    const { lane, start, end } = evidence
    this.#evidence = evidence
    const counts = new Int32Array(lanes)
    for (let row = 0; row < evidence.length; row++) counts[lane[row]]++
    const lists = Array.from(counts, count => new Int32Array(count))
    counts.fill(0)
    for (let row = 0; row < evidence.length; row++) lists[lane[row]][counts[lane[row]]++] = row
    for (const list of lists) if (!isSorted(list, start)) list.sort((a, b) => start[a] - start[b] || a - b)
    this.rows = lists
    this.#latest = lists.map(rows => {
      const latest = new Float64Array(rows.length)
      let last = -Infinity
      for (let i = 0; i < rows.length; i++) latest[i] = last = Math.max(last, end[rows[i]])
      return latest
    })
  }

  /** Calls `visit` for each row of the lane that has a part in the range, by start. */
  within(lane: number, from: number, to: number, visit: (row: number) => void): void {
    const rows = this.rows[lane]
    const { start, end } = this.#evidence
    for (let i = this.#first(lane, from); i < rows.length && start[rows[i]] < to; i++)
      if (end[rows[i]] > from) visit(rows[i])
  }

  /** Whether no two rows of the lane overlap in the range. */
  isDisjoint(lane: number, from: number, to: number): boolean {
    const rows = this.rows[lane]
    const { start, end } = this.#evidence
    let last = -Infinity
    for (let i = this.#first(lane, from); i < rows.length && start[rows[i]] < to; i++) {
      if (end[rows[i]] <= from) continue
      if (start[rows[i]] < last) return false
      last = end[rows[i]]
    }
    return true
  }

  isEmpty(lane: number, from: number, to: number): boolean {
    let isEmpty = true
    this.within(lane, from, to, () => (isEmpty = false))
    return isEmpty
  }

  /** The position of the first row of the lane that can have a part after `from`. */
  #first(lane: number, from: number): number {
    const latest = this.#latest[lane]
    let [low, high] = [0, latest.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (latest[middle] > from) high = middle
      else low = middle + 1
    }
    return low
  }
}

function isSorted(rows: Int32Array, start: Float64Array): boolean {
  for (let i = 1; i < rows.length; i++) if (start[rows[i - 1]] > start[rows[i]]) return false
  return true
}
