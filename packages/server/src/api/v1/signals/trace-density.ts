// The number of traces by time and duration.
import { z } from 'zod'
import { ROWS_PER_DECADE, traceDensity as queryDensity } from '../../../query/signals/trace-density.ts'
import { defineQuery } from '../endpoint.ts'
import { limit } from '../request/parameters.ts'
import { signalQueryOf, spanFilter, spanFilterOf } from '../request/signal-parameters.ts'
import { count, nanoseconds } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

const cell = nameSchema(
  'DensityCell',
  z.strictObject({
    column: count.meta({ description: 'From 0, at the start of the range' }),
    row: count.meta({ description: 'The lower end of the duration is 10^(row / rowsPerDecade) nanoseconds' }),
    traces: count,
    errors: count.meta({ description: 'Traces with a matching span that failed' }),
  }),
)

const DEFAULT_COLUMNS = 120

export const traceDensity = defineQuery({
  name: 'traceDensity',
  path: '/trace-density',
  summary: 'The number of traces by time and duration',
  request: z.strictObject({ ...spanFilter, columns: limit(1000, 'Number of columns; default: 120') }),
  response: z.strictObject({
    step: nanoseconds('The length of a column'),
    rowsPerDecade: count,
    traces: count.meta({ description: 'The number of all traces' }),
    cells: z.array(cell).meta({ description: 'The cells with traces' }),
  }),
  async handle(context, request) {
    const query = signalQueryOf(context, request)
    const found = await queryDensity(context.queries, query, spanFilterOf(request), request.columns ?? DEFAULT_COLUMNS)
    return { ...found, step: found.step.toString(), rowsPerDecade: ROWS_PER_DECADE, cells: [...found.cells] }
  },
})
