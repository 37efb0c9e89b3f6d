// The ledger of an operation: average per request, by percentile, over time, by attribute, and slow vs. fast.
import type {
  AverageLedger,
  CommonAttribute,
  IntervalLedger,
  LedgerComparison,
  LedgerDetail,
  LedgerSpan,
  Ledgers,
  PercentileLedger,
  ValueLedger,
} from '@hearth/profile'
import {
  DetailSums,
  averageLedger,
  commonAttributes,
  compareLedgers,
  ledgerSentence,
  ledgersByValue,
  ledgersOverTime,
  percentileLedgers,
  visitRequest,
} from '@hearth/profile'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import type { SpanFilter } from '../signals/span-filter.ts'
import { operationRequests } from './operation-requests.ts'

export interface OperationLedgerChoice {
  /** The length of an interval, in nanoseconds. Without it there are no intervals. */
  readonly step?: bigint
  /** The attribute of spans or resources to group by. */
  readonly by?: string
  /** Splits slow from fast requests; 0.9 unless given. */
  readonly quantile?: number
  /** Nanoseconds, instead of the quantile. */
  readonly threshold?: bigint
  /** The maximum number of requests to read. */
  readonly limit?: number
}

export interface OperationLedger {
  /** The number of requests in the range. */
  readonly found: number
  readonly average: AverageLedger
  /** The details of each entry of the average, in nanoseconds per request. */
  readonly details: readonly (readonly LedgerDetail[])[]
  readonly sentence: string
  readonly percentiles: readonly PercentileLedger[]
  readonly overTime: readonly IntervalLedger[]
  readonly groups: { readonly values: readonly ValueLedger[]; readonly hidden: number }
  /** Undefined if all requests take equally long. */
  readonly comparison: (LedgerComparison & { readonly attributes: readonly CommonAttribute[] }) | undefined
  readonly services: readonly string[]
  /** All spans that details refer to by row. */
  readonly all: readonly LedgerSpan[]
  readonly observations: number
}

const MAX_INTERVALS = 2000n
const MAX_GROUPS = 50

export async function operationLedger(
  context: QueryContext,
  query: Query,
  filter: SpanFilter & { readonly name: string },
  { step, by, quantile = 0.9, threshold, limit }: OperationLedgerChoice = {},
): Promise<OperationLedger> {
  if (!(quantile > 0 && quantile < 1))
    throw new QueryError('argument', `the quantile is ${quantile}; it must be between 0 and 1`)
  if (step !== undefined && (step <= 0n || (query.to - query.from) / step > MAX_INTERVALS))
    throw new QueryError('argument', `more than ${MAX_INTERVALS} steps in the range; use a longer step`)
  const choice = { attributes: true, ...(limit === undefined ? {} : { limit }) }
  const { found, loaded, requests, spans, attributesOf } = await operationRequests(context, query, filter, choice)
  if (loaded === undefined)
    throw new QueryError('not-found', `no requests of ${JSON.stringify(filter.name.slice(0, 120))} in the range`)
  const { ledgers } = loaded
  const average = averageLedger(requests)
  const details = detailsPerRequest(ledgers, average, spans.length)
  const split = compareLedgers(requests, threshold === undefined ? { quantile } : { threshold: Number(threshold) })
  return {
    found,
    average,
    details,
    sentence: sentenceOf(average, details, loaded.isEventLoop),
    percentiles: percentileLedgers(requests),
    overTime: step === undefined ? [] : ledgersOverTime(requests, query.from, query.to, step),
    groups:
      by === undefined
        ? { values: [], hidden: 0 }
        : ledgersByValue(requests, row => attributesOf(row).find(({ key }) => key === by)?.value, MAX_GROUPS),
    comparison: split && {
      ...split,
      attributes: commonAttributes(split.slowRequests, split.fastRequests, attributesOf),
    },
    services: [...new Set(spans.map(({ service }) => service))].sort(),
    all: ledgers.input.spans,
    observations: loaded.observations,
  }
}

function detailsPerRequest(ledgers: Ledgers, { entries }: AverageLedger, requests: number): LedgerDetail[][] {
  const sums = entries.map(({ kind }) => new DetailSums(ledgers, kind))
  const byKind = new Map(entries.map(({ kind }, i) => [kind, sums[i]]))
  for (let row = 0; row < requests; row++) {
    visitRequest(ledgers, row, (start, end, kind, reference) => byKind.get(kind)?.add(start, end, reference))
  }
  return sums.map(each => each.largest().map(detail => ({ ...detail, nanos: detail.nanos / BigInt(requests) })))
}

function sentenceOf(
  { duration, entries }: AverageLedger,
  details: readonly (readonly LedgerDetail[])[],
  isEventLoop: boolean,
): string {
  const withDetails = entries.map((entry, i) => ({ ...entry, details: details[i] }))
  return `On average, ${lowerFirst(ledgerSentence(duration, withDetails, isEventLoop ? 'event loop' : 'thread'))}`
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
