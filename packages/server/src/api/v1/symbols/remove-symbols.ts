// Deletes a debug file.
import { z } from 'zod'
import { unknownName } from '../broker/parameters.ts'
import { defineEndpoint } from '../endpoint.ts'

export const removeSymbols = defineEndpoint({
  name: 'removeSymbols',
  method: 'DELETE',
  path: '/symbols/files/{file}',
  summary: 'Deletes a debug file; frames that it named become addresses again',
  scope: 'write',
  request: z.strictObject({}),
  response: z.strictObject({ removed: z.string() }),
  async handle({ symbols, tenant, pathParameter: id }) {
    if (!(await symbols.remove(tenant, id))) throw unknownName('debug file', id)
    return { removed: id }
  },
})
