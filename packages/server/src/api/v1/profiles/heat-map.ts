// Cells of a heat map with a resolution below one second.
import { z } from 'zod'
import { heatMap as queryHeatMap } from '../../../query/series/heat-map.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { parseDuration } from '../request/times.ts'
import { count, int64 } from '../response/fields.ts'
import { NumberColumn } from '../response/response-columns.ts'
import { measured, measuredJson } from './tree-json.ts'

export const heatMap = defineQuery({
  name: 'heatMap',
  path: '/heatmap',
  summary: 'Cells of a heat map with a resolution below one second',
  request: z.strictObject({
    ...parameters.selection,
    threads: parameters.threads,
    unlinked: parameters.unlinked,
    ...parameters.spans,
    column: parameters.text('The length of a column; default: 1s'),
    rows: parameters.limit(1000, 'The number of rows per column; default: 50'),
  }),
  response: z.strictObject({
    ...measured,
    column: int64('Nanoseconds'),
    rows: count,
    origin: int64('The start of column 0, in nanoseconds since 1970: a multiple of `column`'),
    x: z.array(count).meta({ description: 'The column of each cell that is not empty' }),
    y: z.array(count).meta({ description: 'The row of each cell; 0 is the first part of the column' }),
    count: z.array(z.number()).meta({ description: 'The number of observations' }),
    value: z.array(z.number()).meta({ description: 'The sum of their values' }),
  }),
  columns: true,
  async handle(context, request) {
    const column = request.column === undefined ? undefined : parseDuration(request.column)
    const query = queryOf(context, request)
    const found = await queryHeatMap(context.queries, query, defined({ column, rows: request.rows }))
    if (found.profiles === 0) await rejectUnknownKeys(context, query)
    return {
      ...measuredJson(found),
      column: found.column.toString(),
      rows: found.rows,
      origin: found.origin.toString(),
      x: new NumberColumn(found.columns),
      y: new NumberColumn(found.row),
      count: new NumberColumn(found.count),
      value: new NumberColumn(found.value),
    }
  },
})
