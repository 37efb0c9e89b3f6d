// Cancels a capture.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { captureSchema, existingCapture } from './capture.ts'

export const cancelCapture = defineEndpoint({
  name: 'cancelCapture',
  method: 'DELETE',
  path: '/captures/{capture}',
  summary: 'Cancels a capture; profiles that were received are kept',
  scope: 'capture',
  request: z.strictObject({}),
  response: captureSchema,
  async handle({ broker, tenant, pathParameter: id, audit }) {
    const record = existingCapture(broker.captures.cancel(tenant, id), id)
    audit('capture-cancelled', { capture: id, service: record.service })
    return record
  },
})
