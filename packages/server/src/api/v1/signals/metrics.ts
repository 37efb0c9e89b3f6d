// The list of metrics.
import { z } from 'zod'
import { METRIC_KINDS, TEMPORALITIES, listMetrics } from '../../../query/signals/metric-list.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownItemKeys } from '../request/check-keys.ts'
import { after, limit, text } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { selection, signalQueryOf } from '../request/signal-parameters.ts'
import { count, next, time } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

export const metricKind = z.enum(Object.values(METRIC_KINDS))
export const metricTemporality = z.enum(TEMPORALITIES)

export const metricIdentity = {
  name: z.string(),
  unit: z.string(),
  kind: metricKind,
  temporality: metricTemporality,
  monotonic: z.boolean(),
  description: z.string(),
}

const metricRow = nameSchema(
  'MetricRow',
  z.strictObject({
    ...metricIdentity,
    services: z.array(z.string()).meta({ description: 'Up to 100' }),
    points: count,
    first: time('The time of the first point'),
    last: time('The time of the last point'),
  }),
)

export const metrics = defineQuery({
  name: 'metrics',
  path: '/metrics',
  summary: 'Stored metrics',
  request: z.strictObject({
    ...selection('data point'),
    prefix: text('Only names that start with this text'),
    limit: limit(10_000, 'Maximum number of names; default: 1000'),
    after,
  }),
  response: z.strictObject({ metrics: z.array(metricRow).meta({ description: 'By name' }), next }),
  async handle(context, request) {
    const { service, prefix, limit: max, after: previous } = request
    const query = signalQueryOf(context, request)
    const choice = defined({ service, prefix, limit: max, after: previous })
    const found = await listMetrics(context.queries, query, choice)
    if (found.metrics.length === 0 && previous === undefined) await rejectUnknownItemKeys(context, query, 'point')
    const rows = found.metrics.map(row => ({
      ...row,
      services: [...row.services],
      first: row.first.toString(),
      last: row.last.toString(),
    }))
    return { metrics: rows, ...defined({ next: found.next }) }
  },
})
