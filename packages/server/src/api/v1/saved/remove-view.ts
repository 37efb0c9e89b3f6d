// Deletes a saved view.
import { z } from 'zod'
import { unknownName } from '../broker/parameters.ts'
import { defineEndpoint } from '../endpoint.ts'

export const removeView = defineEndpoint({
  name: 'removeView',
  method: 'DELETE',
  path: '/views/{view}',
  summary: 'Deletes a saved view',
  scope: 'write',
  request: z.strictObject({}),
  response: z.strictObject({ removed: z.string() }),
  async handle({ saved, tenant, pathParameter: id }) {
    if (!(await saved.views.remove(tenant, id))) throw unknownName('view', id)
    return { removed: id }
  },
})
