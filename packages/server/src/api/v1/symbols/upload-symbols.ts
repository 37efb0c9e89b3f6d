// Receives a debug file or an archive of source code. The body is its content.
import { z } from 'zod'
import { defined } from '../../../query/defined.ts'
import { defineEndpoint } from '../endpoint.ts'
import { symbolFile, symbolFileJson } from './symbol-json.ts'

/** An id in a profile is hex, or Go's text of four parts. */
export const buildIds = z.array(z.string().min(1).max(256)).max(16)

export const uploadSymbols = defineEndpoint({
  name: 'uploadSymbols',
  method: 'PUT',
  path: '/symbols/files',
  summary:
    'Stores a debug file, a binary or a list of symbols, and names native frames with it; or source code, as a tar archive or a source map with content',
  scope: 'write',
  request: z.strictObject({
    name: z.string().min(1).max(1024).meta({ description: 'The name of the file' }),
    buildId: buildIds.optional().meta({
      description:
        'Build ids of the binary that the file itself does not have: of a kernel for kallsyms or System.map, or the htlhash of the binary before it was stripped',
    }),
    code: z.boolean().optional().meta({ description: 'Accept a binary without names, whose code is disassembled' }),
  }),
  response: symbolFile,
  status: 201,
  upload: true,
  async handle({ symbols, tenant, content }, { name, buildId, code }) {
    return symbolFileJson(
      await symbols.add(tenant, content, {
        name,
        source: 'upload',
        ...defined({ buildIds: buildId, acceptsCode: code }),
      }),
    )
  },
})
