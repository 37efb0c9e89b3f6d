// The keys of the attributes of profiles.
import { z } from 'zod'
import { attributeKeys } from '../../../query/profiles/catalog.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { next, truncated } from '../response/fields.ts'

export const attributes = defineQuery({
  name: 'attributes',
  path: '/attributes',
  summary: 'Attribute keys of profiles',
  request: z.strictObject({
    ...parameters.selection,
    prefix: parameters.text('Only rows that start with this text'),
    limit: parameters.limit(100_000, 'Maximum number of rows; default: 1000'),
    after: parameters.after,
  }),
  response: z.strictObject({
    attributes: z.array(
      z.strictObject({ key: z.string(), levels: z.array(z.enum(['resource', 'scope', 'profile', 'sample'])) }),
    ),
    truncated,
    next,
  }),
  async handle(context, request) {
    const { prefix, limit, after } = request
    const query = queryOf(context, request)
    const found = await attributeKeys(context.queries, query, defined({ prefix, limit, after }))
    const isComplete = prefix === undefined && after === undefined
    if (isComplete && found.rows.length === 0) await rejectUnknownKeys(context, query)
    const rows = found.rows.map(row => ({ ...row, levels: [...row.levels] }))
    return { attributes: rows, truncated: found.truncated, next: found.next }
  },
})
