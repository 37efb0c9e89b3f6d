// Counts the items that a deletion would delete.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { deletionOf, selected } from './deletion-request.ts'

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
