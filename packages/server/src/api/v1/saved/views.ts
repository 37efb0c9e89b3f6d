// The saved views of the tenant.
import { z } from 'zod'
import { savedView } from '../../../saved/saved-view.ts'
import { defineEndpoint } from '../endpoint.ts'
import { nameSchema } from '../response/schema-names.ts'

export const viewSchema = nameSchema('SavedView', savedView)

export const views = defineEndpoint({
  name: 'views',
  method: 'GET',
  path: '/views',
  summary: 'Saved views of the UI',
  request: z.strictObject({}),
  response: z.strictObject({ views: z.array(viewSchema) }),
  async handle({ saved, tenant }) {
    return { views: [...saved.views.list(tenant)] }
  },
})
