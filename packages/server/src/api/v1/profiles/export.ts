// The selected profiles, traces, logs or metrics as one file.
import { concat } from '@hearth/profile'
import { z } from 'zod'
import { exportProfiles } from '../../../query/profiles/export-profiles.ts'
import { defineEndpoint } from '../endpoint.ts'
import * as parameters from '../request/parameters.ts'
import { defined, queryOf } from '../request/request-context.ts'
import { FileResponse, StreamedFile, writableFormat } from '../response/file-response.ts'
import { exportedSignal } from '../signals/export-file.ts'
import { collectProfiles } from './collect-profiles.ts'

export const exportEndpoint = defineEndpoint({
  name: 'export',
  path: '/export',
  summary: 'The selected profiles, traces, logs or metrics as one file',
  request: z.strictObject({
    signal: z.enum(['profiles', 'traces', 'logs', 'metrics']).optional().meta({
      description:
        'The signal to export; default: profiles. Traces, logs and metrics are exported as otlp or otlp-json, and only selector, from and to select them',
    }),
    ...parameters.selection,
    ...parameters.observed,
    ...parameters.spans,
    root: parameters.root,
    format: parameters.format,
    stream: parameters.flag(
      'Send profiles while they are read, without a limit: otlp as length-prefixed messages like the Collector, otlp-json and folded line by line; other formats are rejected',
    ),
  }),
  async handle(context, request) {
    const { signal = 'profiles' } = request
    if (signal !== 'profiles') return await exportedSignal(context, signal, request)
    const format = writableFormat(request.format)
    const sets = exportProfiles(context.queries, queryOf(context, request), defined({ roots: request.root }))
    if (request.stream === true) return await StreamedFile.of(sets, format, 'profiles')
    const collected = await collectProfiles(sets, context.tenantLimits, 'no profile matches')
    return FileResponse.of(concat(collected), format, 'profiles')
  },
})
