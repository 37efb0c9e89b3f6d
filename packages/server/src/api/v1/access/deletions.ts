// Deletes data on request: counts it, starts a deletion, and shows its progress.
import { z } from 'zod'
import { SIGNALS } from '@hearth/signals'
import { deletionRecord } from '../../../query/deletion/deletions.ts'
import { defineEndpoint } from '../endpoint.ts'
import { TIME } from '../request/parameters.ts'
import type { RequestContext } from '../request/request-context.ts'
import { parseTime } from '../request/times.ts'
import { nameSchema } from '../response/schema-names.ts'
import { RequestError } from '../response/request-error.ts'

nameSchema('Deletion', deletionRecord)

const selected = {
  selector: z.string().max(10_000).meta({
    description: 'Selects the data, e.g. `{user.id="42"}`. `{}` selects everything. A profile is deleted as a whole',
  }),
  from: z.string().meta({ description: `The start of the range: ${TIME}` }),
  to: z.string().meta({ description: 'The end of the range' }),
  signals: z.array(z.enum(SIGNALS)).min(1).optional().meta({ description: 'Only these signals; default: all' }),
}

type Selected = z.infer<z.ZodObject<typeof selected>>

function deletionOf({ tenant, caller, now }: RequestContext, { selector, from, to, signals }: Selected) {
  const [start, end] = [parseTime(from, now), parseTime(to, now)]
  return { tenant, by: caller, signals: signals ?? [...SIGNALS], selector, from: String(start), to: String(end) }
}

export const countDeletion = defineEndpoint({
  name: 'countDeletion',
  method: 'POST',
  path: '/deletion-count',
  summary: 'Counts the items that a deletion would delete, and deletes nothing',
  scope: 'admin',
  request: z.strictObject(selected),
  response: z.strictObject({ items: z.record(z.string(), z.number()).meta({ description: 'By signal' }) }),
  async handle(context, request) {
    return { items: await context.inQuerySlot(() => context.deletions.count(deletionOf(context, request))) }
  },
})

export const startDeletion = defineEndpoint({
  name: 'startDeletion',
  method: 'POST',
  path: '/deletions',
  summary: 'Deletes data that was received until now, and returns at once',
  scope: 'admin',
  request: z.strictObject(selected),
  response: deletionRecord,
  status: 202,
  async handle(context, request) {
    return context.inQuerySlot(() => context.deletions.start(deletionOf(context, request)))
  },
})

export const deletions = defineEndpoint({
  name: 'deletions',
  method: 'GET',
  path: '/deletions',
  summary: 'The deletions of the tenant, latest first',
  scope: 'admin',
  request: z.strictObject({}),
  response: z.strictObject({ deletions: z.array(deletionRecord) }),
  async handle({ deletions: all, tenant }) {
    return { deletions: [...all.list(tenant)] }
  },
})

export const deletion = defineEndpoint({
  name: 'deletion',
  method: 'GET',
  path: '/deletions/{deletion}',
  summary: 'The progress of a deletion',
  scope: 'admin',
  request: z.strictObject({}),
  response: deletionRecord,
  async handle({ deletions: all, tenant, pathParameter: id }) {
    const record = all.find(tenant, id)
    if (record === undefined)
      throw new RequestError(404, 'not-found', `unknown deletion ${JSON.stringify(id.slice(0, 80))}`)
    return record
  },
})
