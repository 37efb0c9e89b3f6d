// The values of one attribute of spans, log records or data points.
import { z } from 'zod'
import { itemAttributeValues } from '../../../query/signals/item-attributes.ts'
import { defineQuery } from '../endpoint.ts'
import { defined } from '../../../query/defined.ts'
import { ITEM_KINDS, signalQueryOf } from '../request/signal-parameters.ts'
import { attributeValue, truncated, valueJson } from '../response/fields.ts'
import { signalAttributes } from './signal-attributes.ts'

export const signalAttributeValues = defineQuery({
  name: 'signalAttributeValues',
  path: '/signal-attributes/{key}/values',
  summary: 'Values of an attribute of spans, log records or data points',
  request: signalAttributes.request,
  response: z.strictObject({
    values: z.array(z.strictObject({ text: z.string(), value: attributeValue })),
    truncated,
  }),
  async handle(context, request) {
    const { signal, service, prefix, limit } = request
    const query = signalQueryOf(context, request)
    const choice = defined({ service, prefix, limit })
    const key = context.pathParameter
    const found = await itemAttributeValues(context.queries, query, ITEM_KINDS[signal], key, choice)
    const values = found.rows.map(({ text, value }) => ({ text, value: valueJson(value) }))
    return { values, truncated: found.truncated }
  },
})
