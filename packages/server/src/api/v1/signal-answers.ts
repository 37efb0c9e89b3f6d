// What is answered about traces, logs and metrics, as schemas.
import { z } from 'zod'
import { amount, attributeValue, diff, whole } from './answers.ts'

const next = z.string().optional().meta({ description: 'For the next page; not there on the last' })
const double = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])])
const time = (description: string) => whole(`${description}, in nanoseconds since 1970`)
const nanoseconds = (description: string) => whole(`${description}, in nanoseconds`)
const hex = (description: string) => z.string().meta({ description: `${description}: hex` })

export const attribute = z.strictObject({ key: z.string(), value: attributeValue })
export const signalResource = z.strictObject({
  id: whole('Tells processes apart'),
  service: z.string(),
  attributes: z.array(attribute),
})
export const signalScope = z.strictObject({ name: z.string(), version: z.string(), attributes: z.array(attribute) })

const containers = { resources: z.array(signalResource), scopes: z.array(signalScope) }
const container = {
  resource: amount.meta({ description: 'Row in resources' }),
  scope: amount.meta({ description: 'Row in scopes' }),
}

export const traceRowSpan = z.strictObject({
  spanId: hex('Of the span'),
  service: z.string(),
  name: z.string(),
  start: time('When it begins'),
  duration: nanoseconds('How long it takes'),
})

export const traceRow = z.strictObject({
  traceId: hex('Of the trace'),
  span: traceRowSpan.meta({ description: 'The span that fits; of several the longest' }),
  fitting: amount.meta({ description: 'How many spans of the range fit' }),
  root: traceRowSpan.meta({ description: 'The first span without a parent, or the first of all' }),
  start: time('When its first span begins'),
  duration: nanoseconds('Until the last one ends'),
  spans: amount,
  errors: amount.meta({ description: 'Spans that ended with an error' }),
  services: z.array(z.string()).meta({ description: 'Up to 20' }),
  samples: amount.meta({ description: 'Samples of profiles that were taken in it' }),
  profiles: z
    .array(
      z.strictObject({ type: z.string(), unit: z.string(), samples: amount, value: whole('The sum of their values') }),
    )
    .meta({ description: 'The same by type' }),
})

export const traces = z.strictObject({ traces: z.array(traceRow), next })

export const spanProfiles = z.strictObject({
  type: amount.meta({ description: "Row in the trace's types" }),
  samples: amount.meta({ description: 'How many samples in the span itself' }),
  value: whole('The sum of their values'),
  subtreeSamples: amount.meta({ description: 'With those of all spans below it' }),
  subtreeValue: whole('and their sum'),
})

export const traceSpan = z.strictObject({
  spanId: hex('Of the span'),
  parentSpanId: hex('Of its parent; empty for roots'),
  parent: z.int().min(-1).meta({ description: 'Row of its parent; -1 where it stands at the top' }),
  depth: amount,
  service: z.string(),
  name: z.string(),
  kind: z.enum(['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']),
  status: z.enum(['unset', 'ok', 'error']),
  statusMessage: z.string().optional(),
  start: time('When it begins, as sent'),
  end: time('When it ends, as sent').optional(),
  duration: nanoseconds('0 where it has no end'),
  self: nanoseconds('The duration less what its children cover of it'),
  oddities: z
    .array(z.enum(['no-end', 'missing-parent', 'before-parent', 'after-parent', 'circle', 'same-id']))
    .meta({ description: 'The notes say what each means and how it is shown' }),
  skew: nanoseconds(
    'Where clocks seem to differ: what, added to its times, would put it in the middle of its parent. Not added here',
  ).optional(),
  ...container,
  hiddenChildren: amount.meta({ description: 'How many children the limit left out' }),
  samples: z.array(spanProfiles).meta({ description: 'Samples that are linked to the span, by type' }),
  unlinked: z
    .array(spanProfiles)
    .optional()
    .meta({ description: 'Where asked for: samples without a link, of its thread and time. Perhaps not its own' }),
  attributes: z.array(attribute).optional(),
  events: z.array(z.strictObject({ time: time('When'), name: z.string(), attributes: z.array(attribute) })).optional(),
  links: z
    .array(z.strictObject({ traceId: hex('Of the trace'), spanId: hex('Of the span'), attributes: z.array(attribute) }))
    .optional(),
  traceState: z.string().optional(),
  droppedAttributes: amount.optional(),
  droppedEvents: amount.optional(),
  droppedLinks: amount.optional(),
})

export const trace = z.strictObject({
  traceId: hex('Of the trace'),
  start: time('When its first span begins'),
  duration: nanoseconds('Until the last one ends'),
  allSpans: amount.meta({ description: 'How many there are, shown or not' }),
  spans: z.array(traceSpan).meta({ description: 'Depth-first, siblings by their start' }),
  types: z
    .array(z.strictObject({ type: z.string(), unit: z.string() }))
    .meta({ description: 'Types of profiles with samples of the trace' }),
  unplaced: z.array(spanProfiles).meta({ description: 'Samples of the trace whose span is not stored' }),
  ...containers,
  notes: z
    .array(z.strictObject({ code: z.string(), count: amount, message: z.string() }))
    .meta({ description: 'What is odd about the trace, and how it is shown' }),
})

export const operationRow = z.strictObject({
  service: z.string(),
  name: z.string(),
  kind: traceSpan.shape.kind,
  spans: amount,
  errors: amount,
  open: amount.meta({ description: 'Spans without an end, which have no part in the durations' }),
  durations: z
    .strictObject({
      least: nanoseconds('The shortest'),
      most: nanoseconds('The longest'),
      p50: z.number(),
      p90: z.number(),
      p99: z.number(),
    })
    .optional()
    .meta({ description: 'In nanoseconds; the quantiles are near' }),
})

export const operations = z.strictObject({
  operations: z.array(operationRow).meta({ description: 'Those with most spans first' }),
  truncated: z.boolean(),
})

const traceSet = z.strictObject({
  found: amount.meta({ description: 'How many there are with samples' }),
  traceIds: z.array(z.string()).meta({ description: 'Those that are compared' }),
})

export const compareTraces = z.strictObject({
  threshold: nanoseconds('From which on traces are slow; not there where they were named').optional(),
  slow: traceSet,
  fast: traceSet,
  diff: diff.meta({ description: '`before` is of the fast ones, `after` of the slow ones' }),
})

export const logRow = z.strictObject({
  cursor: z.string().meta({ description: 'For `after`' }),
  time: time('Its time, or when it was observed, or came in'),
  observed: time('When it was observed').optional(),
  severity: amount.meta({ description: '1 to 24; 0 where it has none' }),
  severityText: z.string(),
  body: attributeValue,
  service: z.string(),
  traceId: hex('Empty where it is of none'),
  spanId: hex('Empty where it is of none'),
  profileId: hex('Of the profile that it names, for the selector {profile.id="…"}; empty where it names none'),
  eventName: z.string().optional(),
  ...container,
  attributes: z.array(attribute),
})

export const logs = z.strictObject({ logs: z.array(logRow), ...containers, next })

export const logCounts = z.strictObject({
  step: nanoseconds('The length of a step'),
  severities: z
    .array(z.enum(['none', 'trace', 'debug', 'info', 'warn', 'error', 'fatal']))
    .meta({ description: 'OTLP has four numbers for each' }),
  points: z
    .array(
      z.strictObject({
        time: time('Where the step begins'),
        counts: z.array(amount).meta({ description: 'How many records, one for each of the severities' }),
      }),
    )
    .meta({ description: 'Steps that have any' }),
})

const lane = {
  service: z.string(),
  thread: z.string().meta({ description: 'thread.id; empty where it does not say' }),
  process: z.int().min(-1).meta({ description: "Row in the request's resources; -1 where there are none" }),
}

export const laneSpan = z.strictObject({
  traceId: hex('Of the trace'),
  spanId: hex('Of the span'),
  name: z.string(),
  status: traceSpan.shape.status,
  start: time('When it begins'),
  duration: nanoseconds('How long it takes; 0 where it has no end'),
  ...lane,
})

export const spans = z.strictObject({
  spans: z.array(laneSpan).meta({ description: 'The longest first' }),
  all: amount.meta({ description: 'How many there are' }),
})

export const logMark = z.strictObject({
  records: amount.meta({ description: 'How many records of a thread in a step' }),
  severity: amount.meta({ description: 'Of the gravest of them, the first of several: 1 to 24; 0 where it has none' }),
  time: time('When it was'),
  text: z.string().meta({ description: 'What it says, up to 500 characters' }),
  traceId: hex('Empty where it is of none'),
  spanId: hex('Empty where it is of none'),
  ...lane,
})

export const logMarks = z.strictObject({
  step: nanoseconds('The length of a step'),
  marks: z.array(logMark).meta({ description: 'By time' }),
  all: amount.meta({ description: 'How many records there are' }),
  hidden: amount.meta({ description: 'How many of them have no mark, for the limit' }),
})

export const signalAttributes = z.strictObject({
  attributes: z.array(z.strictObject({ key: z.string(), levels: z.array(z.enum(['resource', 'scope', 'item'])) })),
  truncated: z.boolean().meta({ description: 'Whether there are more' }),
})

export const signalAttributeValues = z.strictObject({
  values: z.array(z.strictObject({ text: z.string(), value: attributeValue })),
  truncated: z.boolean().meta({ description: 'Whether there are more' }),
})

const metricIdentity = {
  name: z.string(),
  unit: z.string(),
  kind: z.enum(['gauge', 'sum', 'histogram', 'exponential-histogram', 'summary']),
  temporality: z.enum(['unspecified', 'delta', 'cumulative']),
  monotonic: z.boolean(),
  description: z.string(),
}

export const metricRow = z.strictObject({
  ...metricIdentity,
  services: z.array(z.string()).meta({ description: 'Up to 100' }),
  points: amount,
  first: time('Of the first point'),
  last: time('and of the last'),
})

export const metrics = z.strictObject({ metrics: z.array(metricRow).meta({ description: 'By name' }), next })

export const metricPoint = z.strictObject({
  time: time('Where the step begins'),
  value: double.optional().meta({ description: 'Not there where the points do not say' }),
  quantiles: z
    .array(z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity', 'none'])]))
    .optional()
    .meta({ description: "One for each of the series' quantiles; none where nothing was measured" }),
  buckets: z.array(z.number()).optional().meta({ description: "How many values in each of the group's cells" }),
})

export const metricGroup = z.strictObject({
  labels: z.array(attributeValue).meta({ description: 'One for each of groupBy' }),
  points: z.array(metricPoint),
  cells: z
    .array(z.strictObject({ lower: double, upper: double }))
    .optional()
    .meta({ description: 'Buckets, from the least values on' }),
  exemplars: z
    .array(
      z.strictObject({
        time: time('When it was measured'),
        value: attributeValue,
        traceId: hex('Empty where it is of none'),
        spanId: hex('Empty where it is of none'),
        attributes: z.array(attribute),
      }),
    )
    .meta({ description: 'Those of a trace first' }),
})

export const metricSeries = z.strictObject({
  ...metricIdentity,
  step: nanoseconds('The length of a step'),
  aggregation: z.enum(['rate', 'increase', 'average', 'last', 'min', 'max', 'count']),
  groupBy: z.array(z.string()),
  quantiles: z.array(z.number()),
  groups: z.array(metricGroup),
})
