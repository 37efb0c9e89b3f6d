// One trace as a tree of spans.
import { z } from 'zod'
import { readTrace } from '../../../query/signals/trace.ts'
import { defineQuery } from '../endpoint.ts'
import { checkedNodes } from '../limits/query-gate.ts'
import { flag, limit, receivedBefore, text } from '../request/parameters.ts'
import { parseTime } from '../request/times.ts'
import { defined } from '../../../query/defined.ts'
import { count, hex, nanoseconds, time } from '../response/fields.ts'
import { containers, containersJson } from './item-json.ts'
import { SpanColumns, spanProfilesJson } from './span-columns.ts'
import { spanProfiles, traceSpan } from './span-schema.ts'

const DEFAULT_SPANS = 10_000

export const trace = defineQuery({
  name: 'trace',
  path: '/traces/{trace}',
  summary: 'One trace as a tree of spans, with self times and the profile samples of each span',
  request: z.strictObject({
    receivedBefore,
    spanId: text('Only this span and the spans below it: 16 hex digits'),
    limit: limit(100_000, 'Maximum number of spans; the longest and the spans above them are kept; default: 10000'),
    details: flag('Whether to include attributes, events and links; default: true for up to 1000 spans'),
    unlinked: flag(
      'Whether to add samples without a link that were recorded on the thread of a span during the span, apart from linked samples',
    ),
  }),
  response: z.strictObject({
    traceId: hex('The id of the trace'),
    start: time('The start of the first span'),
    duration: nanoseconds('The time until the last span ends'),
    allSpans: count.meta({ description: 'The total number of spans, in the response or not' }),
    spans: z.array(traceSpan).meta({ description: 'Depth-first; siblings by start' }),
    types: z
      .array(z.strictObject({ type: z.string(), unit: z.string() }))
      .meta({ description: 'Types of the profiles with samples of the trace' }),
    unplaced: z.array(spanProfiles).meta({ description: 'Samples of the trace whose span is not stored' }),
    ...containers,
    notes: z
      .array(z.strictObject({ code: z.string(), count, message: z.string() }))
      .meta({ description: 'Irregularities of the trace, and how they are shown' }),
  }),
  columns: true,
  async handle({ queries, tenant, signal, limits, tenantLimits, now, pathParameter: traceId }, request) {
    const { spanId, details, unlinked } = request
    const before = request.receivedBefore === undefined ? undefined : parseTime(request.receivedBefore, now)
    const max = checkedNodes('limit', request.limit, DEFAULT_SPANS, tenantLimits)
    const choice = defined({ spanId, limit: max, details, unlinked })
    const found = await readTrace(
      queries,
      { tenant, signal, limits, ...defined({ receivedBefore: before }) },
      traceId,
      choice,
    )
    return {
      traceId: found.traceId,
      start: found.start.toString(),
      duration: found.duration.toString(),
      allSpans: found.allSpans,
      spans: new SpanColumns(found.spans, unlinked === true),
      types: found.types.map(({ type, unit }) => ({ type, unit })),
      unplaced: found.unplaced.map(spanProfilesJson),
      ...containersJson(found),
      notes: found.notes.map(({ code, count: times, message }) => ({ code, count: times, message })),
    }
  },
})
