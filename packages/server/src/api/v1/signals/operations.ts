// The operations of services with their durations.
import { z } from 'zod'
import { SPAN_KINDS } from '../../../query/signals/span-filter.ts'
import { listOperations } from '../../../query/signals/trace-list.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownItemKeys } from '../request/check-keys.ts'
import { limit } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { signalQueryOf, spanFilter, spanFilterOf } from '../request/signal-parameters.ts'
import { count, nanoseconds } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

const operationRow = nameSchema(
  'OperationRow',
  z.strictObject({
    service: z.string(),
    name: z.string(),
    kind: z.enum(SPAN_KINDS),
    spans: count,
    errors: count,
    open: count.meta({ description: 'The number of spans without an end; the durations ignore them' }),
    durations: z
      .strictObject({
        least: nanoseconds('The minimum'),
        most: nanoseconds('The maximum'),
        p50: z.number(),
        p90: z.number(),
        p99: z.number(),
      })
      .optional()
      .meta({ description: 'In nanoseconds; the quantiles are approximate' }),
  }),
)

export const operations = defineQuery({
  name: 'operations',
  path: '/operations',
  summary: 'Operations of services with their durations',
  request: z.strictObject({ ...spanFilter, limit: limit(10_000, 'Maximum number of operations; default: 1000') }),
  response: z.strictObject({
    operations: z.array(operationRow).meta({ description: 'The operations with the most spans first' }),
    truncated: z.boolean(),
  }),
  async handle(context, request) {
    const query = signalQueryOf(context, request)
    const choice = defined({ limit: request.limit })
    const found = await listOperations(context.queries, query, spanFilterOf(request), choice)
    if (found.operations.length === 0) await rejectUnknownItemKeys(context, query, 'span')
    return {
      operations: found.operations.map(({ durations, ...row }) => ({
        ...row,
        ...(durations === undefined
          ? {}
          : { durations: { ...durations, least: durations.least.toString(), most: durations.most.toString() } }),
      })),
      truncated: found.truncated,
    }
  },
})
