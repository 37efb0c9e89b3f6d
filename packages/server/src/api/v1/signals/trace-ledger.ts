// The time ledger of a span of a trace.
import { ENTRY_KINDS } from '@hearth/profile'
import { z } from 'zod'
import { traceLedger as queryTraceLedger } from '../../../query/ledger/trace-ledger.ts'
import { defined } from '../../../query/defined.ts'
import { defineQuery } from '../endpoint.ts'
import { receivedBefore, text } from '../request/parameters.ts'
import { parseTime } from '../request/times.ts'
import { frame } from '../profiles/tree-json.ts'
import { count, hex, int64List, nanoseconds } from '../response/fields.ts'
import { FrameColumn } from '../response/response-columns.ts'
import { entryKind, ledgerEntry, ledgerEntryJson, ledgerSpan, ledgerSpanJson } from './ledger-json.ts'

export const traceLedger = defineQuery({
  name: 'traceLedger',
  path: '/traces/{trace}/ledger',
  summary: 'Where the time of a span went, with one sentence, and the ledger of every span of the trace',
  request: z.strictObject({
    receivedBefore,
    spanId: text('The span: 16 hex digits; default: the longest root'),
  }),
  response: z.strictObject({
    span: ledgerSpan,
    durationNano: nanoseconds('The duration of the span'),
    entries: z.array(ledgerEntry),
    critical: z.array(ledgerEntry).meta({
      description:
        'The entries of the critical path: instead of children, the entries of the spans below that the end of the span waited for',
    }),
    sentence: z.string().meta({ description: 'A sentence about the critical path, from templates and figures' }),
    spans: z
      .array(
        z.strictObject({
          spanId: hex('The id of the span'),
          durationNano: nanoseconds('The duration'),
          nanos: int64List('The time of each kind of entry, in the order of kinds'),
          criticalNano: nanoseconds('Its time on the critical path of the selected span'),
        }),
      )
      .meta({ description: 'Every span of the trace' }),
    kinds: z.array(entryKind),
    slices: z
      .array(z.strictObject({ kind: entryKind, node: z.array(count), nanos: int64List('The time of each node') }))
      .meta({ description: 'The time of each stack in each entry of the critical path, as nodes' }),
    parent: z.array(z.int().min(-1)).meta({ description: 'The parent of each node; -1 for roots' }),
    frame: z.array(count).meta({ description: 'The row in frames of each node' }),
    frames: z.array(frame),
    observations: count.meta({ description: 'The number of observations that the ledgers are made of' }),
  }),
  async handle({ queries, tenant, signal, limits, now, pathParameter: traceId }, request) {
    const before = request.receivedBefore === undefined ? undefined : parseTime(request.receivedBefore, now)
    const query = { tenant, signal, limits, ...defined({ receivedBefore: before }) }
    const found = await queryTraceLedger(queries, query, traceId, request.spanId)
    return {
      span: ledgerSpanJson(found.span),
      durationNano: found.duration.toString(),
      entries: found.entries.map(entry => ledgerEntryJson(entry, found.all)),
      critical: found.critical.map(entry => ledgerEntryJson(entry, found.all)),
      sentence: found.sentence,
      spans: found.spans.map(({ spanId, duration, nanos, critical }) => ({
        spanId,
        durationNano: duration.toString(),
        nanos: nanos.map(String),
        criticalNano: critical.toString(),
      })),
      kinds: [...ENTRY_KINDS],
      slices: found.slices.map(({ kind, node, nanos }) => ({ kind, node: [...node], nanos: nanos.map(String) })),
      parent: Array.from(found.nodes.parent),
      frame: Array.from(found.nodes.frame),
      frames: new FrameColumn(found.nodes.frames),
      observations: found.observations,
    }
  },
})
