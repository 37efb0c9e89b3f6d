// Ledgers in responses.
import type { LedgerEntry, LedgerSpan } from '@hearth/profile'
import { ENTRY_KINDS } from '@hearth/profile'
import { z } from 'zod'
import { count, hex, nanoseconds } from '../response/fields.ts'
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
    what: z.enum(['span', 'operation', 'function', 'event', 'wait']).meta({
      description:
        'span: a child; operation: requests of others; function: code; event: measured events; wait: other waits',
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
    details: entry.details.map(({ what, name, nanos, count: times, mostly, spans: rows }) => ({
      what,
      name,
      nanos: nanos.toString(),
      count: times,
      mostly,
      spans: rows.map(row => ledgerSpanJson(spans[row])),
    })),
  }
}
