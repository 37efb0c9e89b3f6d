// The list of traces.
import { z } from 'zod'
import { listTraces } from '../../../query/signals/trace-list.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownItemKeys } from '../request/check-keys.ts'
import { after, limit } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { signalQueryOf, spanFilter, spanFilterOf } from '../request/signal-parameters.ts'
import { count, hex, int64, nanoseconds, next, time } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { timedJson } from './item-json.ts'

const traceRowSpan = nameSchema(
  'TraceRowSpan',
  z.strictObject({
    spanId: hex('The id of the span'),
    service: z.string(),
    name: z.string(),
    start: time('The start'),
    duration: nanoseconds('The duration'),
  }),
)

const traceRow = nameSchema(
  'TraceRow',
  z.strictObject({
    traceId: hex('The id of the trace'),
    span: traceRowSpan.meta({ description: 'The longest matching span' }),
    matching: count.meta({ description: 'The number of matching spans in the range' }),
    fitting: count.meta({ description: 'The former name of `matching`' }),
    root: traceRowSpan.meta({ description: 'The first span without a parent, or the first of all' }),
    start: time('The start of the first span'),
    duration: nanoseconds('The time until the last span ends'),
    spans: count,
    errors: count.meta({ description: 'The number of spans with the status error' }),
    services: z.array(z.string()).meta({ description: 'Up to 20' }),
    samples: count.meta({ description: 'The number of profile samples in the trace' }),
    profiles: z
      .array(
        z.strictObject({ type: z.string(), unit: z.string(), samples: count, value: int64('The sum of their values') }),
      )
      .meta({ description: 'The samples by profile type' }),
  }),
)

export const traces = defineQuery({
  name: 'traces',
  path: '/traces',
  summary: 'Traces with a matching span, in pages',
  request: z.strictObject({
    ...spanFilter,
    sort: z
      .enum(['time', 'duration'])
      .optional()
      .meta({ description: 'time (the default), the latest first, or duration, the longest first' }),
    limit: limit(1000, 'Maximum number of traces; default: 100'),
    after,
  }),
  response: z.strictObject({ traces: z.array(traceRow), next }),
  async handle(context, request) {
    const { sort, limit: max, after: previous } = request
    const query = signalQueryOf(context, request)
    const choice = defined({ sort, limit: max, after: previous })
    const found = await listTraces(context.queries, query, spanFilterOf(request), choice)
    if (found.traces.length === 0 && previous === undefined) await rejectUnknownItemKeys(context, query, 'span')
    const rows = found.traces.map(row => ({
      ...timedJson(row),
      fitting: row.matching,
      span: timedJson(row.span),
      root: timedJson(row.root),
      services: [...row.services],
      profiles: row.profiles.map(({ type, unit, samples, value }) => ({
        type,
        unit,
        samples,
        value: value.toString(),
      })),
    }))
    return { traces: rows, ...defined({ next: found.next }) }
  },
})
