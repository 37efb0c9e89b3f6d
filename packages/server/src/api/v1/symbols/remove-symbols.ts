// Deletes a debug file.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { removed } from '../response/fields.ts'
import { unknownName } from '../response/request-error.ts'

export const removeSymbols = defineEndpoint({
  name: 'removeSymbols',
  method: 'DELETE',
  path: '/symbols/files/{file}',
  summary: 'Deletes a debug file; frames that it named become addresses again',
  scope: 'write',
  request: z.strictObject({}),
  response: removed(),
  async handle({ symbols, tenant, pathParameter: id }) {
    if (!(await symbols.remove(tenant, id))) throw unknownName('debug file', id)
    return { removed: id }
  },
})
