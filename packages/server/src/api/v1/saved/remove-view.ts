// Deletes a saved view.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { removed } from '../response/fields.ts'
import { unknownName } from '../response/request-error.ts'

export const removeView = defineEndpoint({
  name: 'removeView',
  method: 'DELETE',
  path: '/views/{view}',
  summary: 'Deletes a saved view',
  scope: 'write',
  request: z.strictObject({}),
  response: removed(),
  async handle({ saved, tenant, pathParameter: id }) {
    if (!(await saved.views.remove(tenant, id))) throw unknownName('view', id)
    return { removed: id }
  },
})
