// Totals of profiles over time.
import { z } from 'zod'
import { seriesTotals } from '../../../query/series/series-totals.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { defaultStep, queryOf } from '../request/request-context.ts'
import { parseDuration } from '../request/times.ts'
import { attributeValue, count, int64, time, valueJson } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { measured, measuredJson, overflow } from './tree-json.ts'

const AGGREGATIONS = ['sum', 'rate', 'average', 'count'] as const
const id = z.string().meta({ description: 'In hex; empty if there is none' })

const seriesGroup = nameSchema(
  'SeriesGroup',
  z.strictObject({
    labels: z.array(attributeValue).meta({ description: 'One value for each attribute of groupBy' }),
    points: z.array(
      z.strictObject({
        time: time('The start of the step'),
        value: z.number(),
        sum: int64('The exact sum'),
        profiles: count,
      }),
    ),
    exemplars: z
      .array(
        z.strictObject({
          profile: z.string().meta({ description: 'The reference for /profiles/{profile}' }),
          time: int64('Nanoseconds since 1970'),
          sum: int64(''),
          profileId: id,
          traceId: id,
          spanId: id,
        }),
      )
      .meta({ description: 'The largest profiles, each with the span of its largest sample that has one' }),
  }),
)

export const series = defineQuery({
  name: 'series',
  path: '/series',
  summary: 'Totals over time, grouped by attributes',
  request: z.strictObject({
    ...parameters.selection,
    snapshots: parameters.snapshots,
    times: parameters.times,
    ...parameters.spans,
    step: parameters.step,
    groupBy: parameters.groupBy,
    aggregation: z
      .enum(AGGREGATIONS)
      .optional()
      .meta({ description: 'sum (the default), rate per second, average per profile, or count of profiles' }),
    exemplars: parameters.limit(1000, 'Maximum number of exemplars per group; default: none'),
  }),
  response: z.strictObject({
    ...measured,
    step: int64('Nanoseconds'),
    aggregation: z.enum(AGGREGATIONS),
    groupBy: z.array(z.string()),
    overflow,
    groups: z.array(seriesGroup),
  }),
  async handle(context, request) {
    const query = queryOf(context, request)
    const { groupBy, aggregation, exemplars } = request
    const step = request.step === undefined ? defaultStep(query) : parseDuration(request.step)
    const choice = { step, ...defined({ groupBy, aggregation, exemplars }) }
    const found = await seriesTotals(context.queries, query, choice)
    if (found.profiles === 0) await rejectUnknownKeys(context, query)
    return {
      ...measuredJson(found),
      step: found.step.toString(),
      aggregation: found.aggregation,
      groupBy: [...found.groupBy],
      overflow: found.overflow,
      groups: found.groups.map(group => ({
        labels: group.labels.map(valueJson),
        points: group.points.map(point => ({ ...point, time: point.time.toString(), sum: point.sum.toString() })),
        exemplars: group.exemplars.map(each => ({ ...each, time: each.time.toString(), sum: each.sum.toString() })),
      })),
    }
  },
})
