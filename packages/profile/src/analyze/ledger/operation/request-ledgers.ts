// The time of each request of an operation by entry, as columns.
import { criticalPath } from '../critical-path.ts'
import type { EntryKind } from '../entry-kinds.ts'
import { ENTRY_KINDS } from '../entry-kinds.ts'
import type { Ledgers, SegmentVisitor } from '../ledgers.ts'
import { durationOf } from '../ledgers.ts'

export interface RequestLedgers {
  readonly length: number
  /** Row of the span of each request. */
  readonly span: Int32Array
  /** Nanoseconds since 1970. */
  readonly start: BigInt64Array
  readonly duration: Float64Array
  /** The nanoseconds of each entry: `ENTRY_KINDS.length` values per request. They add up to the duration. */
  readonly nanos: Float64Array
}

const KINDS = ENTRY_KINDS.length
const KIND_NUMBERS = Object.fromEntries(ENTRY_KINDS.map((kind, k) => [kind, k])) as Readonly<Record<EntryKind, number>>

/**
 * Visits the segments of a request: its own and those of the spans below in its process, along the critical path. Time in spans of other
 * processes counts as children.
 */
export function visitRequest(ledgers: Ledgers, row: number, visit: SegmentVisitor): void {
  if (ledgers.childrenOf(row).length === 0) {
    ledgers.visit(row, visit)
    return
  }
  const { spans } = ledgers.input
  const { process } = spans[row]
  for (const { span, start, end, kind, reference } of criticalPath(ledgers, row)) {
    if (spans[span].process === process) visit(start, end, kind, reference)
    else {
      let called = span
      while (spans[called].parent !== -1 && spans[spans[called].parent].process !== process)
        called = spans[called].parent
      visit(start, end, 'children', called)
    }
  }
}

/** `rows` are the rows of the requests' spans. */
export function requestLedgers(ledgers: Ledgers, rows: readonly number[]): RequestLedgers {
  const { spans } = ledgers.input
  const duration = new Float64Array(rows.length)
  const nanos = new Float64Array(KINDS * rows.length)
  for (const [i, row] of rows.entries()) {
    duration[i] = Number(durationOf(ledgers.input, row))
    let rest = duration[i]
    visitRequest(ledgers, row, (start, end, kind) => {
      nanos[KINDS * i + KIND_NUMBERS[kind]] += end - start
      rest -= end - start
    })
    nanos[KINDS * i + KIND_NUMBERS.unknown] += rest
  }
  return {
    length: rows.length,
    span: Int32Array.from(rows),
    start: BigInt64Array.from(rows, row => spans[row].start),
    duration,
    nanos,
  }
}

/** The numbers of the requests, the shortest first. */
export function byDuration({ duration }: RequestLedgers): Int32Array {
  return Int32Array.from(duration.keys()).sort((a, b) => duration[a] - duration[b] || a - b)
}

export function allRequests({ length }: RequestLedgers): Int32Array {
  return Int32Array.from({ length }, (_, i) => i)
}
