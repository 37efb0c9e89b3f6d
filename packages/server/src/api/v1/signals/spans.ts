// Single spans of a time range, for lanes of a timeline.
import { z } from 'zod'
import { laneSpans } from '../../../query/signals/lane-spans.ts'
import { SPAN_STATUSES } from '../../../query/signals/span-filter.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownItemKeys } from '../request/check-keys.ts'
import { TIME, limit, text } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { lanes, resourcesOf, selection, signalQueryOf } from '../request/signal-parameters.ts'
import { count, hex, nanoseconds, time } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { lane, timedJson } from './item-json.ts'

const laneSpan = nameSchema(
  'LaneSpan',
  z.strictObject({
    traceId: hex('The id of the trace'),
    spanId: hex('The id of the span'),
    name: z.string(),
    status: z.enum(SPAN_STATUSES),
    start: time('The start'),
    duration: nanoseconds('The duration; 0 without an end'),
    ...lane,
  }),
)

export const spans = defineQuery({
  name: 'spans',
  path: '/spans',
  summary: 'Single spans of a time range with their threads and processes, the longest first, for timelines',
  request: z.strictObject({
    ...selection('span'),
    from: text(
      `Only spans that end after this time: ${TIME}; default: now-1h. Spans that start more than a day before it are not found`,
    ),
    to: text('Only spans that start before this time; default: now'),
    ...lanes,
    limit: limit(
      20_000,
      'Maximum number of spans; default: 5000. If there are more, the spans of at least a thousandth of the range are kept, and for each thread and thousandth the longest of the others',
    ),
  }),
  response: z.strictObject({
    spans: z.array(laneSpan).meta({ description: 'The longest first' }),
    all: count.meta({ description: 'The total number of spans' }),
  }),
  async handle(context, request) {
    const { service, limit: max } = request
    const query = signalQueryOf(context, request)
    const choice = defined({ service, limit: max, resources: resourcesOf(request) })
    const found = await laneSpans(context.queries, query, choice)
    if (found.all === 0) await rejectUnknownItemKeys(context, query, 'span')
    return { spans: found.spans.map(timedJson), all: found.all }
  },
})
