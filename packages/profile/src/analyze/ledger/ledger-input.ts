// Everything that ledgers are made of: spans, lanes (threads, event loops, goroutines) and the evidence of what lanes did.
import type { EvidenceColumns } from './evidence.ts'

export interface LedgerSpan {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly service: string
  /** Row of the parent; -1 for none. Parents form no cycle. */
  readonly parent: number
  /** Nanoseconds since 1970. */
  readonly start: bigint
  readonly end: bigint
  /** Number of the process. */
  readonly process: number
  /** The lane that the span itself names; -1 if it names none. */
  readonly lane: number
}

export interface LedgerLane {
  readonly process: number
  /** Such as `main (1)`. */
  readonly title: string
  /** Whether its evidence is about all lanes of the process, such as a pause of the whole program. */
  readonly isProcess?: boolean
}

export interface LedgerInput {
  /** The time from which evidence counts, in nanoseconds since 1970. */
  readonly base: bigint
  readonly spans: readonly LedgerSpan[]
  readonly lanes: readonly LedgerLane[]
  readonly evidence: EvidenceColumns
  /** Names of measured events. */
  readonly labels: readonly string[]
  /** The name of the function at the end of a stack. */
  readonly functionOf: (stack: number) => string
}
