// The top table: frames with their self and total values.
import { z } from 'zod'
import { top as queryTop } from '../../../query/trees/top.ts'
import { defineQuery } from '../endpoint.ts'
import { checkedNodes } from '../limits/query-gate.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { count, int64 } from '../response/fields.ts'
import { FrameColumn, RowColumn } from '../response/response-columns.ts'
import { nameSchema } from '../response/schema-names.ts'
import * as tree from './tree-json.ts'

const topRow = nameSchema(
  'TopRow',
  z.strictObject({ frame: tree.frame, self: int64(tree.SELF), total: int64(tree.TOTAL) }),
)

const DEFAULT_ROWS = 1_000

export const top = defineQuery({
  name: 'top',
  path: '/top',
  summary: 'Frames with their self and total values, the largest first',
  request: z.strictObject({
    ...parameters.stacks,
    sort: z.enum(['self', 'total']).optional().meta({ description: 'The value to sort by; default: self' }),
    limit: parameters.limit(1_000_000, 'Maximum number of rows; default: 1000'),
  }),
  response: z.strictObject({
    ...tree.measured,
    sum: tree.sum,
    overflow: tree.overflow,
    missing: tree.missing,
    allFrames: count.meta({ description: 'The total number of frames' }),
    rows: z.array(topRow),
  }),
  columns: true,
  async handle(context, request) {
    const { by, inlined, addresses, root: roots, sort } = request
    const maxFrames = checkedNodes('limit', request.limit, DEFAULT_ROWS, context.tenantLimits)
    const query = queryOf(context, request)
    const found = await queryTop(context.queries, query, defined({ by, inlined, addresses, roots, sort, maxFrames }))
    if (found.profiles === 0) await rejectUnknownKeys(context, query)
    const { sum, overflow, missing, allFrames, frames } = found
    return {
      ...tree.measuredJson(found),
      sum: sum.toString(),
      overflow,
      missing: tree.missingJson(missing),
      allFrames,
      rows: new RowColumn(frames.length, { frame: new FrameColumn(frames), ...tree.valuesJson(found) }),
    }
  },
})
