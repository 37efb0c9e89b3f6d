// The range of all stored data.
import { z } from 'zod'
import { dataRange as queryDataRange } from '../../../query/overview/data-range.ts'
import { defineQuery } from '../endpoint.ts'
import { queryOf } from '../request/request-context.ts'
import { time } from '../response/fields.ts'

export const dataRange = defineQuery({
  name: 'dataRange',
  path: '/data-range',
  summary: 'The times of the first and the last stored item of any signal',
  request: z.strictObject({}),
  response: z.strictObject({
    first: time('Missing if nothing is stored').optional(),
    last: time('Missing if nothing is stored').optional(),
  }),
  async handle(context) {
    const { first, last } = await queryDataRange(context.queries, queryOf(context, {}))
    return {
      ...(first === undefined ? {} : { first: first.toString() }),
      ...(last === undefined ? {} : { last: last.toString() }),
    }
  },
})
