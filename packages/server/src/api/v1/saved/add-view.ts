// Saves a view.
import { z } from 'zod'
import { viewFields } from '../../../saved/saved-view.ts'
import { defineEndpoint } from '../endpoint.ts'
import { viewSchema } from './views.ts'

export const addView = defineEndpoint({
  name: 'addView',
  method: 'POST',
  path: '/views',
  summary: 'Saves a view of the UI with a name',
  scope: 'write',
  request: z.strictObject(viewFields),
  response: viewSchema,
  status: 201,
  async handle({ saved, tenant, caller, now }, { name, address }) {
    const created = new Date(Number(now / 1_000_000n)).toISOString()
    return await saved.views.add(tenant, { name, address, created, by: caller })
  },
})
