// Ledgers in responses.
import type { AverageLedger, LedgerDetail, LedgerEntry, LedgerSpan } from '@hearth/profile'
import { ENTRY_KINDS } from '@hearth/profile'
import { z } from 'zod'
import { count, hex, nanoseconds, time } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

export const entryKind = z.enum(ENTRY_KINDS)

export const ledgerSpan = nameSchema(
  'LedgerSpan',
  z.strictObject({
    traceId: hex('The id of the trace'),
    spanId: hex('The id of the span'),
    name: z.string(),
    service: z.string(),
  }),
)

const detail = nameSchema(
  'LedgerDetail',
  z.strictObject({
    what: z.enum(['span', 'operation', 'function', 'event', 'lock', 'wait']).meta({
      description:
        'span: a child, or another span of the same request; operation: other requests; function: code; event: measured events; lock: a lock that another request had; wait: other waits',
    }),
    name: z.string(),
    nanos: nanoseconds('The time'),
    count: count.meta({ description: 'The number of children, requests, events or stretches' }),
    mostly: z.string().meta({ description: 'The function with most of the time; empty if unknown' }),
    spans: z.array(ledgerSpan).meta({ description: 'The children or requests, the longest time first; at most 20' }),
  }),
)

export const ledgerEntry = nameSchema(
  'LedgerEntry',
  z.strictObject({
    kind: entryKind,
    nanos: nanoseconds('The time; the entries add up to the duration exactly'),
    error: nanoseconds('Half of the 95 % confidence interval; 0 for measured time'),
    details: z.array(detail).meta({ description: 'The largest first; at most 20' }),
  }),
)

export function ledgerSpanJson({ traceId, spanId, name, service }: LedgerSpan): z.infer<typeof ledgerSpan> {
  return { traceId, spanId, name, service }
}

export function ledgerEntryJson(entry: LedgerEntry, spans: readonly LedgerSpan[]): z.infer<typeof ledgerEntry> {
  return {
    kind: entry.kind,
    nanos: entry.nanos.toString(),
    error: entry.error.toString(),
    details: detailsJson(entry.details, spans),
  }
}

function detailsJson(details: readonly LedgerDetail[], spans: readonly LedgerSpan[]): z.infer<typeof detail>[] {
  return details.map(({ what, name, nanos, count: times, mostly, spans: rows }) => ({
    what,
    name,
    nanos: nanos.toString(),
    count: times,
    mostly,
    spans: rows.map(row => ledgerSpanJson(spans[row])),
  }))
}

const averageEntry = nameSchema(
  'AverageLedgerEntry',
  z.strictObject({
    kind: entryKind,
    nanos: nanoseconds('The time per request; the entries add up to the duration exactly'),
    error: nanoseconds('Half of the 95 % confidence interval of the average'),
  }),
)

const averageFields = {
  requests: count,
  durationNano: nanoseconds('The average duration'),
  entries: z.array(averageEntry),
}

export const averageLedger = nameSchema('AverageLedger', z.strictObject(averageFields))

export const intervalLedger = nameSchema(
  'IntervalLedger',
  z.strictObject({ from: time('The start of the interval'), ...averageFields }),
)

export const namedLedger = nameSchema(
  'NamedLedger',
  z.strictObject({ name: z.string().meta({ description: 'The percentile or the value' }), ...averageFields }),
)

export function averageLedgerJson({ requests, duration, entries }: AverageLedger): z.infer<typeof averageLedger> {
  return {
    requests,
    durationNano: duration.toString(),
    entries: entries.map(({ kind, nanos, error }) => ({ kind, nanos: nanos.toString(), error: error.toString() })),
  }
}
