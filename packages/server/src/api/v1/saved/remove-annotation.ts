// Deletes an annotation.
import { z } from 'zod'
import { unknownName } from '../broker/parameters.ts'
import { defineEndpoint } from '../endpoint.ts'

export const removeAnnotation = defineEndpoint({
  name: 'removeAnnotation',
  method: 'DELETE',
  path: '/annotations/{annotation}',
  summary: 'Deletes an annotation',
  scope: 'write',
  request: z.strictObject({}),
  response: z.strictObject({ removed: z.string() }),
  async handle({ saved, tenant, pathParameter: id }) {
    if (!(await saved.annotations.remove(tenant, id))) throw unknownName('annotation', id)
    return { removed: id }
  },
})
