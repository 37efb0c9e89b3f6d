// Deletes data that was received until now.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { shownDeletion } from './deletion.ts'
import { deletionOf, selected } from './deletion-request.ts'

export const startDeletion = defineEndpoint({
  name: 'startDeletion',
  method: 'POST',
  path: '/deletions',
  summary: 'Deletes data that was received until now, and returns at once',
  scope: 'admin',
  request: z.strictObject(selected),
  response: shownDeletion,
  status: 202,
  async handle(context, request) {
    return context.inQuerySlot(() => context.deletions.start(deletionOf(context, request)))
  },
})
