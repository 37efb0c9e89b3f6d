// The services that have profiles.
import { z } from 'zod'
import { services as queryServices } from '../../../query/profiles/catalog.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import { selectionRequest } from '../request/parameters.ts'
import { queryOf } from '../request/request-context.ts'
import { count, time } from '../response/fields.ts'

export const services = defineQuery({
  name: 'services',
  path: '/services',
  summary: 'Services that have profiles',
  request: selectionRequest,
  response: z.strictObject({
    services: z.array(
      z.strictObject({
        service: z.string().meta({ description: 'Empty for resources without service.name' }),
        profiles: count,
        types: z.array(z.string()).meta({ description: 'type:unit' }),
        first: time('The start of the first profile in the range'),
        last: time('The start of the last profile in the range'),
      }),
    ),
  }),
  async handle(context, request) {
    const query = queryOf(context, request)
    const rows = await queryServices(context.queries, query)
    if (rows.length === 0) await rejectUnknownKeys(context, query)
    return {
      services: rows.map(({ first, last, types, ...row }) => ({
        ...row,
        types: [...types],
        first: first.toString(),
        last: last.toString(),
      })),
    }
  },
})
