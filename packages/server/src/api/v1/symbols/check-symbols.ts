// Reports which debug files the server has, so that clients upload only what it lacks.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { quality } from './symbol-json.ts'
import { buildIds } from './upload-symbols.ts'

export const checkSymbols = defineEndpoint({
  name: 'checkSymbols',
  method: 'POST',
  path: '/symbols/check',
  summary: 'What the server has for the build ids of binaries',
  scope: 'write',
  request: z.strictObject({
    binaries: z.array(buildIds).max(1000).meta({ description: 'For each binary its build ids, of any kind' }),
  }),
  response: z.strictObject({
    binaries: z
      .array(
        z.strictObject({
          quality: quality.optional(),
          code: z.boolean().meta({ description: 'Whether the server has the code, for disassembly' }),
        }),
      )
      .meta({ description: 'In the same order; without quality if no file is known' }),
  }),
  async handle({ symbols, tenant }, { binaries }) {
    return {
      binaries: binaries.map(ids => {
        const best = symbols.best(tenant, ids)
        const code = symbols.hasCode(tenant, ids)
        return best === undefined ? { code } : { code, quality: best.quality }
      }),
    }
  },
})
