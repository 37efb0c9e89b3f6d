// The profiles of a capture as one file.
import { z } from 'zod'
import type { CaptureRecord } from '../../../broker/captures/capture-record.ts'
import { QueryError } from '../../../query/query-error.ts'
import { defineEndpoint } from '../endpoint.ts'
import { flag, format } from '../request/parameters.ts'
import type { RequestContext } from '../request/request-context.ts'
import { writableFormat } from '../response/file-response.ts'
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
    const isMerged = request.merge ?? !MULTI_PROCESS_FORMATS.includes(name)
    const file = {
      ...captureQuery(context, record),
      limits: context.tenantLimits,
      format: name,
      isMerged,
      name: `capture-${id.slice(0, 8)}`,
    }
    return await context.inQuerySlot(() => context.captureFile(file))
  },
})

function captureQuery({ tenant, limits }: RequestContext, { id, from, to, instances }: CaptureRecord) {
  const ifNone = `no profile of capture ${id} is stored`
  const profileIds = instances.flatMap(instance =>
    instance.profileIds.map(each => new Uint8Array(Buffer.from(each, 'hex'))),
  )
  if (profileIds.length === 0 || from === undefined || to === undefined) throw new QueryError('not-found', ifNone)
  return { query: { tenant, from: BigInt(from), to: BigInt(to), only: { profileIds }, limits }, ifNone }
}
