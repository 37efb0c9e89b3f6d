// The deletions of the tenant.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { shownDeletion } from './deletion.ts'

export const deletions = defineEndpoint({
  name: 'deletions',
  method: 'GET',
  path: '/deletions',
  summary: 'The deletions of the tenant, latest first',
  scope: 'admin',
  request: z.strictObject({}),
  response: z.strictObject({ deletions: z.array(shownDeletion) }),
  async handle({ deletions: all, tenant }) {
    return { deletions: [...all.list(tenant)] }
  },
})
