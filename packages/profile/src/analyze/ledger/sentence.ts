// One sentence about a ledger, from templates and figures only.
import { formatDuration } from '../../model/text/format-value.ts'
import { compareLongs } from '../../model/columns/order.ts'
import type { EntryKind } from './entry-kinds.ts'
import type { LedgerDetail } from './details.ts'
import { IDLE_NAME, NO_SPAN_NAME } from './details.ts'
import type { LedgerEntry } from './ledgers.ts'

/** The percentage of the duration below which the sentence names two entries instead of one. */
const MAIN_SHARE = 60n

/** The word for what runs a span. */
export type LaneWord = 'thread' | 'event loop'

/** The sentence names the largest entries. `entries` may be those of the span or of its critical path. */
export function ledgerSentence(duration: bigint, entries: readonly LedgerEntry[], lane: LaneWord = 'thread'): string {
  if (duration === 0n || entries.length === 0) return 'The span has no duration.'
  const sorted = [...entries].sort((a, b) => compareLongs(b.nanos, a.nanos))
  const known = sorted.filter(({ kind }) => kind !== 'unknown')
  if (known.length === 0) return `${formatDuration(duration)}: there is no data for the time of this span.`
  const [first] = sorted
  const texts = [`${partOf(first.nanos, duration)}: ${clause(first, lane)}.`]
  const [, second] = sorted
  if (second !== undefined && 100n * first.nanos < MAIN_SHARE * duration)
    texts.push(`${partOf(second.nanos, duration)}: ${clause(second, lane)}.`)
  return texts.join(' ')
}

function partOf(nanos: bigint, duration: bigint): string {
  return nanos === duration
    ? `All ${formatDuration(duration)}`
    : `${formatDuration(nanos)} of ${formatDuration(duration)}`
}

const CLAUSES: Readonly<
  Record<EntryKind, (detail: LedgerDetail | undefined, lane: LaneWord, count: number) => string>
> = {
  children: (detail, _, count) =>
    detail === undefined
      ? 'child spans ran'
      : `in ${detail.count > 1 || count > 1 ? 'child spans, mostly ' : 'the child span '}${detail.name}`,
  'own-cpu': detail => `its own code ran${detail === undefined ? '' : `, mostly ${detail.name}`}`,
  others: (detail, lane) => {
    const code = detail === undefined || detail.mostly === '' ? '' : `, mostly in ${detail.mostly}`
    if (detail === undefined || detail.name === NO_SPAN_NAME)
      return `the ${lane} was busy with work outside of any span${code}`
    if (detail.what === 'span') return `the ${lane} was busy with ${detail.name} of the same request${code}`
    return `the ${lane} was busy with ${detail.count} ${detail.name} ${detail.count === 1 ? 'request' : 'requests'}${code}`
  },
  runtime: detail => `the runtime stopped it${detail === undefined ? '' : ` for ${detail.count} × ${detail.name}`}`,
  lock: detail =>
    detail?.what === 'lock'
      ? `it waited for a ${detail.name}${detail.mostly === '' ? '' : `, in ${detail.mostly}`}`
      : `it waited for a lock or queue${detail === undefined ? '' : ` in ${detail.mostly === '' ? detail.name : detail.mostly}`}`,
  io: (detail, lane) =>
    detail === undefined || detail.name === IDLE_NAME
      ? `it waited for I/O or timers while its ${lane} was idle`
      : `it waited for I/O or timers: ${detail.name}`,
  runnable: () => 'it was ready but got no CPU',
  unknown: () => 'there is no data',
}

function clause({ kind, details }: LedgerEntry, lane: LaneWord): string {
  return CLAUSES[kind](details[0], lane, details.length)
}
