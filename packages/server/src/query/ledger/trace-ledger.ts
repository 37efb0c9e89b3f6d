// The ledgers of the spans of a trace, and the whole ledger of one of them.
import type { CriticalSegment, EntryKind, LedgerEntry, LedgerSpan, Ledgers } from '@hearth/profile'
import { ENTRY_KINDS, criticalPath, deepEntries, ledgerSentence } from '@hearth/profile'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import { idOf } from '../select/span-tree.ts'
import { spansOfTraces } from './ledger-spans.ts'
import type { LoadedLedgers } from './load-ledgers.ts'
import { loadLedgers } from './load-ledgers.ts'

export interface TraceLedger {
  readonly span: LedgerSpan
  readonly duration: bigint
  readonly entries: readonly LedgerEntry[]
  /** With the entries of the critical spans below it instead of children. */
  readonly critical: readonly LedgerEntry[]
  readonly sentence: string
  /** Every span of the trace, with its time by kind in the order of ENTRY_KINDS. */
  readonly spans: readonly {
    readonly spanId: string
    readonly duration: bigint
    readonly nanos: readonly bigint[]
    /** Its time on the critical path of the selected span. */
    readonly critical: bigint
  }[]
  /** The time of each stack in each entry of the critical path. */
  readonly slices: readonly {
    readonly kind: EntryKind
    readonly node: readonly number[]
    readonly nanos: readonly bigint[]
  }[]
  readonly nodes: LoadedLedgers['nodes']
  /** All spans that details refer to by row. */
  readonly all: readonly LedgerSpan[]
  readonly observations: number
}

const MAX_LEDGERS = 20_000

/** `spanId` selects the span; the longest root unless given. */
export async function traceLedger(
  context: QueryContext,
  query: Pick<Query, 'tenant' | 'signal' | 'limits' | 'receivedBefore'>,
  traceId: string,
  spanId?: string,
): Promise<TraceLedger> {
  const id = idOf(traceId, 16, 'trace')
  const whole = { ...query, from: 0n, to: 0n }
  const own = await spansOfTraces(new RunningQuery(context.engine, whole), [id])
  if (own.length === 0) throw new QueryError('not-found', `no trace ${traceId}`)
  const loaded = await loadLedgers(context, whole, own)
  const { ledgers, nodes, observations } = loaded
  const { spans } = ledgers.input
  const selected = selectedRow(spans.slice(0, own.length), spanId)
  const { duration, entries } = ledgers.of(selected)
  const critical = deepEntries(ledgers, selected)
  const onPath = new Map<number, number>()
  const path = criticalPath(ledgers, selected)
  for (const { span, start, end } of path) onPath.set(span, (onPath.get(span) ?? 0) + end - start)
  return {
    span: spans[selected],
    duration,
    entries,
    critical,
    sentence: ledgerSentence(duration, critical, loaded.isEventLoop ? 'event loop' : 'thread'),
    spans: spans.slice(0, Math.min(own.length, MAX_LEDGERS)).map((span, row) => ({
      spanId: span.spanId,
      duration: span.end - span.start,
      nanos: ledgers.totals(row),
      critical: BigInt(onPath.get(row) ?? 0),
    })),
    slices: slicesOf(ledgers, path),
    nodes,
    all: spans,
    observations,
  }
}

function selectedRow(spans: readonly LedgerSpan[], spanId: string | undefined): number {
  if (spanId !== undefined) {
    idOf(spanId, 8, 'span')
    const wanted = spanId.toLowerCase()
    const row = spans.findIndex(each => each.spanId === wanted)
    if (row === -1) throw new QueryError('not-found', `no span ${wanted} in the trace`)
    return row
  }
  let longest = -1
  for (const [row, { parent, start, end }] of spans.entries()) {
    if (parent !== -1) continue
    if (longest === -1 || end - start > spans[longest].end - spans[longest].start) longest = row
  }
  return longest
}

function slicesOf(ledgers: Ledgers, path: readonly CriticalSegment[]): TraceLedger['slices'] {
  const { stack } = ledgers.input.evidence
  return ENTRY_KINDS.flatMap(kind => {
    const sums = new Map<number, number>()
    for (const { kind: each, start, end, reference } of path) {
      if (each !== kind || reference === -1 || stack[reference] === -1) continue
      sums.set(stack[reference], (sums.get(stack[reference]) ?? 0) + end - start)
    }
    if (sums.size === 0) return []
    return [{ kind, node: [...sums.keys()], nanos: Array.from(sums.values(), BigInt) }]
  })
}
