// One capture and its progress.
import { z } from 'zod'
import type { CaptureRecord } from '../../../broker/captures/capture-record.ts'
import { captureInstance, captureRecord } from '../../../broker/captures/capture-record.ts'
import { defineEndpoint } from '../endpoint.ts'
import { text } from '../request/parameters.ts'
import { parseDuration } from '../request/times.ts'
import { unknownName } from '../response/request-error.ts'
import { nameSchema } from '../response/schema-names.ts'

nameSchema('CaptureInstance', captureInstance)
export const captureSchema = nameSchema('Capture', captureRecord)

const MAX_WAIT = 30_000_000_000n

export const capture = defineEndpoint({
  name: 'capture',
  method: 'GET',
  path: '/captures/{capture}',
  summary: 'The progress of a capture: its instances, and the profiles of those that responded',
  request: z.strictObject({
    after: z.int().optional().meta({ description: 'A known version: wait for a later one' }),
    wait: text('How long to wait for it, such as 20s; up to 30s; default: not at all'),
  }),
  response: captureSchema,
  async handle({ broker, tenant, signal, pathParameter: id }, { after, wait }) {
    const nanoseconds = wait === undefined ? 0n : parseDuration(wait)
    const ms = Number((nanoseconds > MAX_WAIT ? MAX_WAIT : nanoseconds) / 1_000_000n)
    const version = after ?? broker.captures.find(tenant, id)?.version ?? 0
    const either = AbortSignal.any([signal, broker.ending])
    return existingCapture(await broker.captures.changed(tenant, id, version, ms, either), id)
  },
})

/** Throws RequestError if there is no such capture. */
export function existingCapture(record: CaptureRecord | undefined, id: string): CaptureRecord {
  if (record === undefined) throw unknownName('capture', id)
  return record
}
