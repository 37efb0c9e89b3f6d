// The values of one attribute of profiles.
import { z } from 'zod'
import { attributeValues as queryAttributeValues } from '../../../query/profiles/catalog.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { attributeValue, next, truncated, valueJson } from '../response/fields.ts'
import { attributes } from './attributes.ts'

export const attributeValues = defineQuery({
  name: 'attributeValues',
  path: '/attributes/{key}/values',
  summary: 'Values of an attribute, which is named as in selectors: region, resource:region',
  request: attributes.request,
  response: z.strictObject({
    values: z.array(z.strictObject({ text: z.string(), value: attributeValue })),
    truncated,
    next,
  }),
  async handle(context, request) {
    const { prefix, limit, after } = request
    const query = queryOf(context, request)
    const choice = defined({ prefix, limit, after })
    const found = await queryAttributeValues(context.queries, query, context.pathParameter, choice)
    const isComplete = prefix === undefined && after === undefined
    if (isComplete && found.rows.length === 0) await rejectUnknownKeys(context, query)
    const values = found.rows.map(({ text, value }) => ({ text, value: valueJson(value) }))
    return { values, truncated: found.truncated, next: found.next }
  },
})
