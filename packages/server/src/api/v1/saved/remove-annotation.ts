// Deletes an annotation.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { removed } from '../response/fields.ts'
import { unknownName } from '../response/request-error.ts'

export const removeAnnotation = defineEndpoint({
  name: 'removeAnnotation',
  method: 'DELETE',
  path: '/annotations/{annotation}',
  summary: 'Deletes an annotation',
  scope: 'write',
  request: z.strictObject({}),
  response: removed(),
  async handle({ saved, tenant, pathParameter: id }) {
    if (!(await saved.annotations.remove(tenant, id))) throw unknownName('annotation', id)
    return { removed: id }
  },
})
