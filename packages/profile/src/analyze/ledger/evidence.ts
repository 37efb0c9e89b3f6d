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
 * stopped it, as for a garbage collection.
 */
export const EVIDENCE_KINDS = ['run', 'idle', 'runtime', 'lock', 'io', 'runnable'] as const
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number] & (WaitKind | 'run' | 'idle' | 'runtime' | 'runnable')

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
}

/** Collects rows. Rows without a duration are ignored. */
export class EvidenceBuilder {
  readonly #rows: { [K in Exclude<keyof EvidenceColumns, 'length'>]: number[] } = {
    lane: [],
    kind: [],
    start: [],
    end: [],
    owner: [],
    stack: [],
    sampled: [],
    period: [],
    label: [],
  }

  add({ lane, kind, start, end, owner = -1, stack = -1, sampled = false, period = 0, label = -1 }: EvidenceRow): void {
    if (!(end > start)) return
    const rows = this.#rows
    rows.lane.push(lane)
    rows.kind.push(EVIDENCE_KINDS.indexOf(kind))
    rows.start.push(start)
    rows.end.push(end)
    rows.owner.push(owner)
    rows.stack.push(stack)
    rows.sampled.push(sampled ? 1 : 0)
    rows.period.push(period)
    rows.label.push(label)
  }

  build(): EvidenceColumns {
    const rows = this.#rows
    return {
      length: rows.lane.length,
      lane: Int32Array.from(rows.lane),
      kind: Uint8Array.from(rows.kind),
      start: Float64Array.from(rows.start),
      end: Float64Array.from(rows.end),
      owner: Int32Array.from(rows.owner),
      stack: Int32Array.from(rows.stack),
      sampled: Uint8Array.from(rows.sampled),
      period: Float64Array.from(rows.period),
      label: Int32Array.from(rows.label),
    }
  }
}

/** Rows of each lane by start, with the latest end so far, so that a range finds its rows without reading all. */
export class LaneIndex {
  readonly rows: readonly Int32Array[]
  readonly #evidence: EvidenceColumns
  readonly #latest: readonly Float64Array[]

  constructor(evidence: EvidenceColumns, lanes: number) {
    const { lane, start, end } = evidence
    const lists: number[][] = Array.from({ length: lanes }, () => [])
    for (let row = 0; row < evidence.length; row++) lists[lane[row]].push(row)
    this.#evidence = evidence
    this.rows = lists.map(list => Int32Array.from(list).sort((a, b) => start[a] - start[b] || a - b))
    this.#latest = this.rows.map(rows => {
      const latest = new Float64Array(rows.length)
      rows.forEach((row, i) => (latest[i] = Math.max(i === 0 ? -Infinity : latest[i - 1], end[row])))
      return latest
    })
  }

  /** Calls `visit` for each row of the lane that has a part in the range, by start. */
  within(lane: number, from: number, to: number, visit: (row: number) => void): void {
    const rows = this.rows[lane]
    const latest = this.#latest[lane]
    const { start, end } = this.#evidence
    let [low, high] = [0, rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (latest[middle] > from) high = middle
      else low = middle + 1
    }
    for (let i = low; i < rows.length && start[rows[i]] < to; i++) if (end[rows[i]] > from) visit(rows[i])
  }
}
