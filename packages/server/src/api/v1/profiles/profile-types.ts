// The types of the stored profiles.
import { z } from 'zod'
import { profileTypes as queryProfileTypes } from '../../../query/profiles/catalog.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import { selectionRequest } from '../request/parameters.ts'
import { queryOf } from '../request/request-context.ts'
import { count, time } from '../response/fields.ts'
import { measured } from './tree-json.ts'

export const profileTypes = defineQuery({
  name: 'profileTypes',
  path: '/profile-types',
  summary: 'The types of the stored profiles',
  request: selectionRequest,
  response: z.strictObject({
    profileTypes: z.array(
      z.strictObject({
        type: z.string(),
        unit: z.string(),
        periodType: z.string(),
        periodUnit: z.string(),
        temporality: measured.temporality,
        profiles: count,
        series: count,
        first: time('Time of the first profile'),
        last: time('Time of the last profile'),
      }),
    ),
  }),
  async handle(context, request) {
    const query = queryOf(context, request)
    const rows = await queryProfileTypes(context.queries, query)
    if (rows.length === 0) await rejectUnknownKeys(context, query)
    return { profileTypes: rows.map(row => ({ ...row, first: row.first.toString(), last: row.last.toString() })) }
  },
})
