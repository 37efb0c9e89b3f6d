// The number of log records over time, by severity.
import { z } from 'zod'
import { SEVERITY_RANGES, countLogs } from '../../../query/signals/log-counts.ts'
import { defineQuery } from '../endpoint.ts'
import { step } from '../request/parameters.ts'
import { defaultStep } from '../request/request-context.ts'
import { logFilter, logFilterOf, signalQueryOf } from '../request/signal-parameters.ts'
import { parseDuration } from '../request/times.ts'
import { count, nanoseconds, time } from '../response/fields.ts'

export const logCounts = defineQuery({
  name: 'logCounts',
  path: '/log-counts',
  summary: 'The number of log records over time, by severity',
  request: z.strictObject({ ...logFilter, step }),
  response: z.strictObject({
    step: nanoseconds('The length of a step'),
    severities: z
      .array(z.enum(SEVERITY_RANGES))
      .meta({ description: 'Each stands for the four numbers that OTLP has for it' }),
    points: z
      .array(
        z.strictObject({
          time: time('The start of the step'),
          counts: z.array(count).meta({ description: 'The number of records for each of the severities' }),
        }),
      )
      .meta({ description: 'Steps that have records' }),
  }),
  async handle(context, request) {
    const query = signalQueryOf(context, request)
    const length = request.step === undefined ? defaultStep(query) : parseDuration(request.step)
    const found = await countLogs(context.queries, query, logFilterOf(request, context.now), length)
    return {
      step: found.step.toString(),
      severities: [...SEVERITY_RANGES],
      points: found.points.map(({ time: at, counts }) => ({ time: at.toString(), counts: [...counts] })),
    }
  },
})
