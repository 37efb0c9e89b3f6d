// What may be asked about traces, logs and metrics.
import { z } from 'zod'
import { TIME, count, frames, nodes, order, root, text, yes } from './requests.ts'

const share = (description: string) => z.number().min(0).max(1).optional().meta({ description })

const selection = (items: string) => ({
  selector: text(
    `As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the ${items}; all unless given`,
  ),
  from: text(`From when on: ${TIME}; now-1h unless given`),
  to: text('and before this; now unless given'),
  service: text('service.name of the resource'),
})

const spanFilter = {
  ...selection('span'),
  name: text("The operation: the span's name"),
  kind: z
    .enum(['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'])
    .optional()
    .meta({ description: 'The kind of span' }),
  status: z.enum(['unset', 'ok', 'error']).optional().meta({ description: 'How the span ended' }),
  minDuration: text('Spans that take as long or longer, as 500ms or 1s500ms'),
  maxDuration: text('Spans that take as long or less'),
  samples: text('Only traces in which samples were taken that this selector of profiles selects, as cpu | frame "gc"'),
}

export const tracesRequest = z.strictObject({
  ...spanFilter,
  sort: z
    .enum(['time', 'duration'])
    .optional()
    .meta({ description: 'time, the latest first, unless given; or duration, the longest first' }),
  limit: count(1000, 'How many at the most; 100 unless given'),
  after: text('`next` of the page before'),
})

export const traceRequest = z.strictObject({
  spanId: text('Only this span and all below it: 16 hex digits'),
  limit: count(
    100_000,
    'How many spans at the most, of which the longest stay with all above them; 10000 unless given',
  ),
  details: yes('Whether attributes, events and links are given; of up to 1000 spans they are unless said otherwise'),
  unlinked: yes(
    'Whether samples without a link that were taken on the thread of a span in its time are given, apart from those that are linked',
  ),
})

export const operationsRequest = z.strictObject({
  ...spanFilter,
  limit: count(10_000, 'How many at the most; 1000 unless given'),
})

const traceIds = (description: string) => z.array(z.string().max(64)).max(2000).optional().meta({ description })

export const compareTracesRequest = z.strictObject({
  ...spanFilter,
  profiles: text('Which profiles are compared, as cpu; they must be of one type'),
  threshold: text('Traces in which the operation takes as long or longer are the slow ones, as 500ms'),
  quantile: share('Instead of a threshold: the quantile of durations that is one; 0.9 unless given'),
  slow: traceIds('Instead of both: the ids of the slow traces'),
  fast: traceIds('and of the fast ones'),
  limit: count(2000, 'How many traces of each set, the latest first; 500 unless given'),
  ...frames,
  root,
  order,
  nodes,
  normalise: yes('Scales the values of the fast ones to the sum of the slow ones; true unless given'),
})

const logFilter = {
  ...selection('record'),
  text: text('Only records whose body has this in it'),
  regex: text('Only records whose body has a match of this regular expression (RE2)'),
  ignoreCase: yes('Whether text and regex take large and small letters as the same'),
  severity: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .optional()
    .meta({ description: 'Records as grave as this, or more' }),
  traceId: text('Only records of this trace: 32 hex digits'),
  spanId: text('Only records of this span: 16 hex digits'),
  profileId: text('Only records that name this profile by an attribute profile_id: hex'),
  resource: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional()
    .meta({
      description: 'Only records of the process that a resource of this id describes, as threads of /events have it',
    }),
  thread: text('Only records with this thread.id'),
}

export const logsRequest = z.strictObject({
  ...logFilter,
  order: z.enum(['newest', 'oldest']).optional().meta({ description: 'Which come first; newest unless given' }),
  limit: count(10_000, 'How many at the most; 100 unless given'),
  after: text(
    '`cursor` of a record, or `next`: only what comes after it in the order; with the other order, what came before',
  ),
})

export const logCountsRequest = z.strictObject({
  ...logFilter,
  step: text('The length of a step, as 15s or 1m; a hundredth of the range, in whole seconds, unless given'),
})

const lanes = {
  resources: z
    .array(z.string().regex(/^\d{1,20}$/))
    .max(1000)
    .optional()
    .meta({
      description:
        'Ids of resources, as threads of /events have them: only what is of their services, and each is given to the process that it is of',
    }),
}

export const spansRequest = z.strictObject({
  ...selection('span'),
  from: text(
    `Spans that end after this: ${TIME}; now-1h unless given. Those that begin more than a day before are not seen`,
  ),
  to: text('and begin before this; now unless given'),
  ...lanes,
  limit: count(
    20_000,
    'How many at the most; 5000 unless given. Of more, those that take a thousandth of the range or longer, and of the others the longest that begins in each thousandth on a thread',
  ),
})

export const logMarksRequest = z.strictObject({
  ...selection('record'),
  ...lanes,
  step: text('The length of a step, as 20ms; a thousandth of the range unless given'),
  limit: count(20_000, 'How many marks at the most, of which the gravest stay; 5000 unless given'),
})

export const signalAttributesRequest = z.strictObject({
  signal: z.enum(['traces', 'logs', 'metrics']).meta({ description: 'Of spans, log records or data points' }),
  ...selection('item'),
  prefix: text('Only those that begin with this'),
  limit: count(10_000, 'How many at the most; 1000 unless given'),
})

export const metricsRequest = z.strictObject({
  ...selection('data point'),
  prefix: text('Only names that begin with this'),
  limit: count(10_000, 'How many names at the most; 1000 unless given'),
  after: text('`next` of the page before'),
})

export const metricSeriesRequest = z.strictObject({
  name: z.string().max(65_536).meta({ description: "The metric's name" }),
  unit: text('Its unit, where metrics of that name have several'),
  kind: z
    .enum(['gauge', 'sum', 'histogram', 'exponential-histogram', 'summary'])
    .optional()
    .meta({ description: 'Its kind, where there are several' }),
  temporality: z
    .enum(['unspecified', 'delta', 'cumulative'])
    .optional()
    .meta({ description: 'Its temporality, where there are several' }),
  ...selection('data point'),
  step: text('The length of a step, as 15s or 1m; a hundredth of the range, in whole seconds, unless given'),
  groupBy: z.array(z.string().max(4096)).max(8).optional().meta({ description: 'Attributes, as service.name' }),
  aggregation: z.enum(['rate', 'increase', 'average', 'last', 'min', 'max', 'count']).optional().meta({
    description:
      'rate, by second, for counters and distributions, average for gauges and last for sums that may go down, unless given',
  }),
  quantiles: z
    .array(z.number().min(0).max(1))
    .max(20)
    .optional()
    .meta({ description: 'Of histograms; 0.5, 0.9 and 0.99 unless given' }),
  buckets: yes('Whether histograms are given bucket by bucket, for heat maps'),
  exemplars: count(1000, 'How many exemplars each group names; none unless given'),
})
