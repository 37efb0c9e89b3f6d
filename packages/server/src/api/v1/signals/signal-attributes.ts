// The keys of the attributes of spans, log records and data points.
import { z } from 'zod'
import { itemAttributes } from '../../../query/signals/item-attributes.ts'
import { defineQuery } from '../endpoint.ts'
import { limit, text } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { ITEM_KINDS, selection, signalQueryOf } from '../request/signal-parameters.ts'
import { truncated } from '../response/fields.ts'

export const signalAttributes = defineQuery({
  name: 'signalAttributes',
  path: '/signal-attributes',
  summary: 'Attribute keys of spans, log records or data points, and of their resources and scopes',
  request: z.strictObject({
    signal: z.enum(['traces', 'logs', 'metrics']).meta({ description: 'Whether spans, log records or data points' }),
    ...selection('item'),
    prefix: text('Only rows that start with this text'),
    limit: limit(10_000, 'Maximum number of rows; default: 1000'),
  }),
  response: z.strictObject({
    attributes: z.array(z.strictObject({ key: z.string(), levels: z.array(z.enum(['resource', 'scope', 'item'])) })),
    truncated,
  }),
  async handle(context, request) {
    const { signal, service, prefix, limit: max } = request
    const query = signalQueryOf(context, request)
    const choice = defined({ service, prefix, limit: max })
    const found = await itemAttributes(context.queries, query, ITEM_KINDS[signal], choice)
    return { attributes: found.rows.map(row => ({ ...row, levels: [...row.levels] })), truncated: found.truncated }
  },
})
