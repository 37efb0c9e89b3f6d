// The selected profiles, traces, logs or metrics as one file.
import { concat } from '@hearth/profile'
import { SIGNALS } from '@hearth/signals'
import { z } from 'zod'
import { exportProfiles } from '../../../query/profiles/export-profiles.ts'
import { MissingSymbols } from '../../../query/profiles/missing-symbols.ts'
import { mergeProfiles } from '../../../query/profiles/merge-profiles.ts'
import { defineQuery } from '../endpoint.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { RequestError } from '../response/request-error.ts'
import { FileResponse, StreamedFile, writableFormat } from '../response/file-response.ts'
import { exportedSignal } from '../signals/export-file.ts'
import { collectProfiles } from './collect-profiles.ts'

export const exportEndpoint = defineQuery({
  name: 'export',
  path: '/export',
  summary: 'The selected profiles, traces, logs or metrics as one file',
  request: z.strictObject({
    signal: z.enum(SIGNALS).optional().meta({
      description:
        'The signal to export; default: profiles. Traces, logs and metrics are exported as otlp or otlp-json, and only selector, from and to select them',
    }),
    ...parameters.selection,
    ...parameters.observed,
    ...parameters.spans,
    root: parameters.root,
    merged: parameters.flag(
      'One profile with the totals that /flamegraph returns: the increase of cumulative profiles, and combined snapshots. Attributes and times of samples are dropped. Default: the profiles as they were sent',
    ),
    snapshots: parameters.snapshots,
    symbols: parameters.flag(
      'Whether native frames have the names, inlined calls and lines of debug files; default: only if merged, otherwise profiles are as they were sent',
    ),
    format: parameters.format,
    stream: parameters.flag(
      'Send profiles while they are read, without a limit: otlp as length-prefixed messages like the Collector, otlp-json and folded line by line; other formats are rejected',
    ),
  }),
  async handle(context, request) {
    const { signal = 'profiles' } = request
    if (signal !== 'profiles') return await exportedSignal(context, signal, request)
    const format = writableFormat(request.format)
    const { merged = false, stream = false } = request
    if (!merged && request.snapshots !== undefined)
      throw new RequestError(400, 'argument', 'snapshots requires merged=true; otherwise all snapshots are exported')
    if (merged && (stream || request.root !== undefined))
      throw new RequestError(400, 'argument', 'merged excludes stream and root')
    if (merged) {
      return FileResponse.of(
        await mergeProfiles(context.queries, queryOf(context, request), request.symbols ?? true),
        format,
        'profiles',
      )
    }
    const missing = new MissingSymbols()
    const choice = { ...defined({ roots: request.root, symbols: request.symbols }), missing }
    const sets = exportProfiles(context.queries, queryOf(context, request), choice)
    if (stream) return await StreamedFile.of(sets, format, 'profiles', missing)
    const collected = await collectProfiles(sets, context.tenantLimits, 'no profile matches')
    return FileResponse.of(concat(collected), format, 'profiles', missing.notes())
  },
})
