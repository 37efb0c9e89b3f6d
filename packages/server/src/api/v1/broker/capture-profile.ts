// The profiles of a capture as one file.
import type { Profiles } from '@hearth/profile'
import { concat } from '@hearth/profile'
import { z } from 'zod'
import type { CaptureRecord } from '../../../broker/captures/capture-record.ts'
import { mergedCapture } from '../../../broker/captures/merged-capture.ts'
import { exportProfiles } from '../../../query/profiles/export-profiles.ts'
import { defineEndpoint } from '../endpoint.ts'
import { collectProfiles } from '../profiles/collect-profiles.ts'
import { flag, format } from '../request/parameters.ts'
import type { RequestContext } from '../request/request-context.ts'
import { FileResponse, writableFormat } from '../response/file-response.ts'
import { existingCapture } from './capture.ts'

/** Formats that keep the profiles of several processes apart. */
const MULTI_PROCESS_FORMATS = ['otlp', 'otlp-json']

export const captureProfile = defineEndpoint({
  name: 'captureProfile',
  method: 'GET',
  path: '/captures/{capture}/profile',
  summary: 'The profiles of a capture as one file',
  request: z.strictObject({
    format,
    merge: flag('Whether to merge the profiles of all instances; default: true, except for otlp and otlp-json'),
  }),
  async handle(context, request) {
    const name = writableFormat(request.format)
    const id = context.pathParameter
    const record = existingCapture(context.broker.captures.find(context.tenant, id), id)
    const profiles = await context.inQuerySlot(() => storedProfiles(context, record))
    const isMerged = request.merge ?? !MULTI_PROCESS_FORMATS.includes(name)
    return FileResponse.of(isMerged ? mergedCapture(profiles) : concat(profiles), name, `capture-${id.slice(0, 8)}`)
  },
})

/** Throws QueryError if none is found: retention may have dropped them. */
async function storedProfiles(context: RequestContext, record: CaptureRecord): Promise<readonly Profiles[]> {
  const { queries, tenant, signal, limits, tenantLimits } = context
  const { from, to, instances } = record
  const profileIds = instances.flatMap(instance =>
    instance.profileIds.map(id => new Uint8Array(Buffer.from(id, 'hex'))),
  )
  async function* stored(): AsyncGenerator<Profiles> {
    if (profileIds.length === 0 || from === undefined || to === undefined) return
    const query = { tenant, from: BigInt(from), to: BigInt(to), only: { profileIds }, signal, limits }
    yield* exportProfiles(queries, query)
  }
  return await collectProfiles(stored(), tenantLimits, `no profile of capture ${record.id} is stored`)
}
