// The binaries of the selected profiles, and which of them have names.
import { z } from 'zod'
import type { Binary } from '../../../query/symbols/binaries.ts'
import { binaries as queryBinaries } from '../../../query/symbols/binaries.ts'
import { UNRESOLVED_REASONS } from '../../../symbols/found-binary.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import { limit, selection } from '../request/parameters.ts'
import { queryOf } from '../request/request-context.ts'
import { count } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { created, quality, source } from './symbol-json.ts'

const DEFAULT_LIMIT = 1000

const binary = nameSchema(
  'Binary',
  z.strictObject({
    name: z.string().meta({ description: 'The file, without its folder' }),
    buildIds: z.record(z.string(), z.string()).meta({ description: 'By kind: gnu, go, htlhash' }),
    self: count.meta({ description: 'Samples whose innermost frame is in the binary' }),
    total: count.meta({ description: 'Samples with any frame in the binary' }),
    addresses: count.meta({ description: 'Distinct frames that were sent as addresses' }),
    unresolved: count.meta({ description: 'The addresses that have no name' }),
    reason: z.enum(UNRESOLVED_REASONS).optional().meta({ description: 'Why, for the first of them' }),
    message: z.string().optional().meta({ description: 'The error of a failed download' }),
    file: z
      .strictObject({ name: z.string(), source, quality, bytes: count, created })
      .optional()
      .meta({ description: 'The debug file in use' }),
  }),
)

export const binaries = defineQuery({
  name: 'binaries',
  path: '/symbols/binaries',
  summary: 'Binaries by their share of samples, and whether their frames have names',
  request: z.strictObject({
    ...selection,
    limit: limit(10_000, `Maximum number of binaries; default: ${DEFAULT_LIMIT}`),
  }),
  response: z.strictObject({
    samples: count.meta({ description: 'All selected samples; one with timestamps counts once for each' }),
    allBinaries: count,
    binaries: z.array(binary).meta({ description: 'The largest total first' }),
  }),
  async handle(context, request) {
    const query = queryOf(context, request)
    const found = await queryBinaries(context.queries, query)
    if (found.samples === 0) await rejectUnknownKeys(context, query)
    const rows = found.binaries.slice(0, request.limit ?? DEFAULT_LIMIT)
    return { samples: found.samples, allBinaries: found.binaries.length, binaries: rows.map(binaryJson) }
  },
})

function binaryJson({
  name,
  buildIds,
  self,
  total,
  addresses,
  unresolved,
  reason,
  found,
}: Binary): z.infer<typeof binary> {
  const file = found?.index === undefined ? undefined : found.file
  const message = found !== undefined && found.index === undefined ? found.message : undefined
  return {
    name,
    buildIds: { ...buildIds },
    self,
    total,
    addresses,
    unresolved,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(file === undefined ? {} : { file: { ...file, created: new Date(file.created).toISOString() } }),
  }
}
