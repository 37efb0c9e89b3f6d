// Forgets failed downloads.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { buildIds } from './upload-symbols.ts'

export const retrySymbols = defineEndpoint({
  name: 'retrySymbols',
  method: 'POST',
  path: '/symbols/retry',
  summary: 'Looks for debug files again, in folders and on debuginfod servers, when the next query needs them',
  scope: 'write',
  request: z.strictObject({ buildIds }),
  response: z.strictObject({ retried: z.array(z.string()) }),
  async handle({ symbols }, { buildIds: ids }) {
    symbols.retry(ids)
    return { retried: ids }
  },
})
