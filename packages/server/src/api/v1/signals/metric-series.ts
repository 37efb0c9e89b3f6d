// One metric over time.
import { z } from 'zod'
import type { MetricGroup, MetricPoint } from '../../../query/signals/metric-series.ts'
import { metricSeries as queryMetricSeries } from '../../../query/signals/metric-series.ts'
import { defineQuery } from '../endpoint.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { defaultStep } from '../request/request-context.ts'
import { selection, signalQueryOf } from '../request/signal-parameters.ts'
import { parseDuration } from '../request/times.ts'
import { attributeValue, doubleJson, hex, int64, nanoseconds, time, valueJson } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { attribute, attributesJson } from './item-json.ts'
import { metricIdentity, metricKind, metricTemporality } from './metrics.ts'

const AGGREGATIONS = ['rate', 'increase', 'average', 'last', 'min', 'max', 'count'] as const
const double = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])])

const metricPoint = nameSchema(
  'MetricPoint',
  z.strictObject({
    time: time('The start of the step'),
    value: double.optional().meta({ description: 'Missing if the points have no value' }),
    exact: int64(
      'The value as an integer, if it is a sum, minimum, maximum or last value of integers that no double represents exactly',
    ).optional(),
    quantiles: z
      .array(z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity', 'none'])]))
      .optional()
      .meta({ description: 'One for each of the quantiles of the series; none if nothing was measured' }),
    buckets: z.array(z.number()).optional().meta({ description: 'The number of values in each cell of the group' }),
  }),
)

const metricGroup = nameSchema(
  'MetricGroup',
  z.strictObject({
    labels: z.array(attributeValue).meta({ description: 'One value for each attribute of groupBy' }),
    points: z.array(metricPoint),
    cells: z
      .array(z.strictObject({ lower: double, upper: double }))
      .optional()
      .meta({ description: 'Buckets, in ascending order' }),
    exemplars: z
      .array(
        z.strictObject({
          time: time('When it was measured'),
          value: attributeValue,
          traceId: hex('Empty without a trace'),
          spanId: hex('Empty without a span'),
          attributes: z.array(attribute),
        }),
      )
      .meta({ description: 'Exemplars with a trace first' }),
  }),
)

export const metricSeries = defineQuery({
  name: 'metricSeries',
  path: '/metric-series',
  summary: 'One metric over time, grouped by attributes',
  request: z.strictObject({
    name: z.string().max(65_536).meta({ description: 'The name of the metric' }),
    unit: parameters.text('Its unit, if metrics of that name have several'),
    kind: metricKind.optional().meta({ description: 'Its kind, if there are several' }),
    temporality: metricTemporality.optional().meta({ description: 'Its temporality, if there are several' }),
    ...selection('data point'),
    step: parameters.step,
    groupBy: parameters.groupBy,
    aggregation: z.enum(AGGREGATIONS).optional().meta({
      description:
        'Default: rate per second for counters and distributions, average for gauges, last for sums that can decrease',
    }),
    quantiles: z
      .array(z.number().min(0).max(1))
      .max(20)
      .optional()
      .meta({ description: 'Quantiles of histograms; default: 0.5, 0.9 and 0.99' }),
    buckets: parameters.flag('Whether to return histograms by bucket, for heat maps'),
    exemplars: parameters.limit(1000, 'Maximum number of exemplars per group; default: none'),
  }),
  response: z.strictObject({
    ...metricIdentity,
    step: nanoseconds('The length of a step'),
    aggregation: z.enum(AGGREGATIONS),
    groupBy: z.array(z.string()),
    quantiles: z.array(z.number()),
    groups: z.array(metricGroup),
  }),
  async handle(context, request) {
    const { name, unit, kind, temporality, service, groupBy, aggregation, quantiles, buckets, exemplars } = request
    const query = signalQueryOf(context, request)
    const step = request.step === undefined ? defaultStep(query) : parseDuration(request.step)
    const rest = defined({ unit, kind, temporality, service, groupBy, aggregation, quantiles, buckets, exemplars })
    const found = await queryMetricSeries(context.queries, query, { name, step, ...rest })
    return {
      ...found,
      step: found.step.toString(),
      groupBy: [...found.groupBy],
      quantiles: [...found.quantiles],
      groups: found.groups.map(groupJson),
    }
  },
})

function groupJson({ labels, points, cells, exemplars }: MetricGroup): z.infer<typeof metricGroup> {
  return {
    labels: labels.map(valueJson),
    points: points.map(pointJson),
    ...(cells.length === 0
      ? {}
      : { cells: cells.map(({ lower, upper }) => ({ lower: doubleJson(lower), upper: doubleJson(upper) })) }),
    exemplars: exemplars.map(exemplar => ({
      ...exemplar,
      time: exemplar.time.toString(),
      value: valueJson(exemplar.value),
      attributes: attributesJson(exemplar.attributes),
    })),
  }
}

function pointJson({ time: at, value, whole, quantiles, buckets }: MetricPoint): z.infer<typeof metricPoint> {
  return {
    time: at.toString(),
    ...(value === undefined ? {} : { value: doubleJson(whole === undefined ? value : Number(whole)) }),
    ...(whole === undefined || BigInt(Number(whole)) === whole ? {} : { exact: whole.toString() }),
    ...(quantiles.length === 0
      ? {}
      : { quantiles: quantiles.map(each => (each === undefined ? ('none' as const) : doubleJson(each))) }),
    ...(buckets.length === 0 ? {} : { buckets: [...buckets] }),
  }
}
