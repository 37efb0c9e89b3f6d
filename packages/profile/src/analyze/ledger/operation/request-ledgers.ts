// The time of each request of an operation by entry, as columns.
import { criticalPath } from '../critical-path.ts'
import type { EntryKind } from '../entry-kinds.ts'
import { ENTRY_KINDS } from '../entry-kinds.ts'
import type { Ledgers } from '../ledgers.ts'
import { durationOf } from '../ledgers.ts'
import type { LedgerSegment } from '../segments.ts'

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
 * The segments of a request: its own and those of the spans below in its process, along the critical path. Time in spans of other processes
 * counts as children.
 */
export function requestSegments(ledgers: Ledgers, row: number): LedgerSegment[] {
  const { spans } = ledgers.input
  const { process } = spans[row]
  return criticalPath(ledgers, row).map(({ span, start, end, kind, reference }) => {
    if (spans[span].process === process) return { start, end, kind, reference }
    let called = span
    while (spans[called].parent !== -1 && spans[spans[called].parent].process !== process) called = spans[called].parent
    return { start, end, kind: 'children', reference: called }
  })
}

/** `rows` are the rows of the requests' spans. */
export function requestLedgers(ledgers: Ledgers, rows: readonly number[]): RequestLedgers {
  const { spans } = ledgers.input
  const duration = new Float64Array(rows.length)
  const nanos = new Float64Array(KINDS * rows.length)
  for (const [i, row] of rows.entries()) {
    duration[i] = Number(durationOf(ledgers.input, row))
    let rest = duration[i]
    for (const { start, end, kind } of requestSegments(ledgers, row)) {
      nanos[KINDS * i + KIND_NUMBERS[kind]] += end - start
      rest -= end - start
    }
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
