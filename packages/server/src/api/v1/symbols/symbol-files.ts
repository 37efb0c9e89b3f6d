// The debug files of the tenant.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { count } from '../response/fields.ts'
import { symbolFile, symbolFileJson } from './symbol-json.ts'

export const symbolFiles = defineEndpoint({
  name: 'symbolFiles',
  method: 'GET',
  path: '/symbols/files',
  summary: 'Debug files that the tenant has uploaded',
  request: z.strictObject({}),
  response: z.strictObject({
    files: z.array(symbolFile).meta({ description: 'The latest first' }),
    bytes: count.meta({ description: 'The size of all files with their indexes' }),
    quotaBytes: count,
  }),
  async handle({ symbols, tenant }) {
    const files = symbols.files(tenant).toSorted((a, b) => b.created - a.created)
    return { files: files.map(symbolFileJson), ...symbols.usage(tenant) }
  },
})
