// The list of stored profiles.
import { z } from 'zod'
import { listProfiles } from '../../../query/profiles/profile-list.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { count, int64, next } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

const profileRow = nameSchema(
  'ProfileRow',
  z.strictObject({
    profile: z.string().meta({ description: 'The reference for /profiles/{profile}' }),
    service: z.string(),
    type: z.string(),
    unit: z.string(),
    periodType: z.string(),
    periodUnit: z.string(),
    period: int64(''),
    time: int64('Nanoseconds since 1970'),
    duration: int64('Nanoseconds'),
    profileId: z.string().meta({ description: 'In hex; empty if there is none' }),
    total: int64('The sum of its samples'),
    overflowed: z.boolean().meta({ description: 'Whether the total is clamped to 64 bits' }),
    samples: count,
    observations: count,
  }),
)

export const profiles = defineQuery({
  name: 'profiles',
  path: '/profiles',
  summary: 'Stored profiles, the latest first, in pages',
  request: z.strictObject({
    ...parameters.selection,
    limit: parameters.limit(10_000, 'Maximum number of profiles; default: 100'),
    after: parameters.after,
  }),
  response: z.strictObject({ profiles: z.array(profileRow).meta({ description: 'The latest first' }), next }),
  async handle(context, request) {
    const { limit, after } = request
    const query = queryOf(context, request)
    const found = await listProfiles(context.queries, query, defined({ limit, after }))
    if (after === undefined && found.profiles.length === 0) await rejectUnknownKeys(context, query)
    const rows = found.profiles.map(row => ({
      ...row,
      period: row.period.toString(),
      time: row.time.toString(),
      duration: row.duration.toString(),
      total: row.total.toString(),
    }))
    return { profiles: rows, ...defined({ next: found.next }) }
  },
})
