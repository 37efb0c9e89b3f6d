// Who asks, what may be answered, and a question of what a request has in common with others.
import type { Note } from '@hearth/profile'
import type { QueryEngine } from '../../../query/query-engine.ts'
import type { Query, QueryLimits } from '../../../query/query.ts'
import { RequestError } from '../response/failure.ts'
import type { TenantLimits } from '../limits/query-gate.ts'
import type { ObservedRequest, SelectionRequest, SpanRequest } from '../requests.ts'
import { parseTime } from './times.ts'

export interface Asker {
  readonly query: QueryEngine
  readonly tenant: string
  readonly signal: AbortSignal
  /** As questions carry them, */
  readonly limits: QueryLimits
  /** and all that the tenant has. */
  readonly tenantLimits: TenantLimits
  /** Nanoseconds since 1970. */
  readonly now: bigint
}

/** A file in a format that was asked for. */
export interface FileAnswer {
  readonly bytes: Uint8Array
  readonly name: string
  /** What the format has no place for. */
  readonly notes: readonly Note[]
}

/** A file that is sent as it is made. */
export interface StreamAnswer {
  readonly pieces: AsyncIterable<Uint8Array>
  readonly name: string
}

export type Answer =
  /** See sent.ts. `found` is undefined where a question that finds nothing may have been meant so. */
  { readonly sent: object; readonly found?: number } | { readonly file: FileAnswer } | { readonly stream: StreamAnswer }

const HOUR = 3_600_000_000_000n
const SECOND = 1_000_000_000n
/** How many steps a series has where nobody says how long they are. */
const STEPS = 100n

export function questionOf(asker: Asker, request: SelectionRequest & ObservedRequest & SpanRequest): Query {
  const { tenant, signal, limits, now } = asker
  const { selector, exact, threads, unlinked, traceId, spanId, subtree } = request
  const to = request.to === undefined ? now : parseTime(request.to, now)
  const from = request.from === undefined ? (to > HOUR ? to - HOUR : 0n) : parseTime(request.from, now)
  if (traceId === undefined && (spanId !== undefined || subtree !== undefined)) {
    throw new RequestError(400, 'argument', 'a span is one of a trace: give traceId too')
  }
  if (unlinked === true && (traceId !== undefined || exact === false)) {
    throw new RequestError(400, 'argument', 'what is of no span is asked for by its time: exact, and without traceId')
  }
  const span = traceId === undefined ? undefined : { traceId, ...given({ spanId, subtree }) }
  return { tenant, from, to, signal, limits, ...given({ selector, span, exact, threads, unlinked }) }
}

export function stepFor({ from, to }: Query): bigint {
  const step = (to - from) / STEPS
  return step < SECOND ? SECOND : ((step + SECOND - 1n) / SECOND) * SECOND
}

export type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** Without what is undefined, as exact optional properties want it. */
export function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>
}
