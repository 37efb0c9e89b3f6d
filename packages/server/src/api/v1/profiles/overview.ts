// One row per service, for the first screen of the UI.
import { z } from 'zod'
import { overview as queryOverview } from '../../../query/overview/overview.ts'
import { defineQuery } from '../endpoint.ts'
import { selection } from '../request/parameters.ts'
import { queryOf } from '../request/request-context.ts'
import { count, int64, time } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

const rateChange = nameSchema(
  'RateChange',
  z.strictObject({
    ratio: z.number().meta({ description: '0.5 is half more, -0.5 half less' }),
    low: z
      .number()
      .optional()
      .meta({ description: 'The lower end of the 95 % interval; missing if there are too few steps' }),
    high: z.number().optional().meta({ description: 'The upper end of the 95 % interval' }),
  }),
)

const isExecutable = z.boolean().optional().meta({
  description: 'Whether the name is that of the executable, because no resource has a service.name; default: false',
})

const { from, to, receivedBefore } = selection

export const overview = defineQuery({
  name: 'overview',
  path: '/overview',
  summary: 'All services with a value over time, changes since yesterday and the version before, and requests',
  request: z.strictObject({ from, to, receivedBefore }),
  response: z.strictObject({
    step: int64('The length of a step, in nanoseconds'),
    services: z.array(
      z.strictObject({
        service: z.string().meta({ description: 'Empty for resources without service.name' }),
        isExecutable,
        profiles: count,
        types: z.array(z.string()).meta({ description: 'type:unit' }),
        first: time('The start of the first profile in the range'),
        last: time('The start of the last profile in the range'),
        value: z
          .strictObject({
            type: z.string().meta({ description: 'type:unit, CPU time if the service has it' }),
            unit: z.string(),
            sum: int64('The sum over the range; the average of a state such as the live heap'),
            seconds: z.number().meta({ description: 'The time that profiles cover; 0 for a state' }),
            steps: z
              .array(
                z.strictObject({
                  step: count.meta({ description: 'From 0, at the start of the range' }),
                  sum: z.number(),
                }),
              )
              .meta({ description: 'The steps with profiles' }),
          })
          .optional(),
        sinceYesterday: rateChange.optional().meta({ description: 'The change from the same range yesterday' }),
        version: z
          .strictObject({ current: z.string(), previous: z.string(), change: rateChange.optional() })
          .optional()
          .meta({ description: 'The change from the version before, within a week; missing with one version' }),
        requests: z
          .strictObject({
            count,
            errors: count,
            p50: z.number().meta({ description: 'Nanoseconds' }),
            p95: z.number().meta({ description: 'Nanoseconds' }),
          })
          .optional()
          .meta({ description: 'Spans of servers and consumers, and spans without a parent' }),
      }),
    ),
    older: z
      .array(
        z.strictObject({
          service: z.string(),
          isExecutable,
          profiles: count,
          last: time('The start of the last profile'),
        }),
      )
      .meta({ description: 'Services whose profiles are all before the range' }),
  }),
  async handle(context, request) {
    const found = await queryOverview(context.queries, queryOf(context, request))
    return {
      step: found.step.toString(),
      services: found.services.map(({ types, first, last, value, ...row }) => ({
        ...row,
        types: [...types],
        first: first.toString(),
        last: last.toString(),
        ...(value === undefined ? {} : { value: { ...value, sum: value.sum.toString(), steps: [...value.steps] } }),
      })),
      older: found.older.map(({ types: _types, first: _first, last, ...row }) => ({ ...row, last: last.toString() })),
    }
  },
})
