// The list of captures.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { limit } from '../request/parameters.ts'
import { captureSchema } from './capture.ts'

export const captures = defineEndpoint({
  name: 'captures',
  method: 'GET',
  path: '/captures',
  summary: 'Running and finished captures, the latest first',
  request: z.strictObject({ limit: limit(1000, 'Maximum number of captures; default: 100') }),
  response: z.strictObject({ captures: z.array(captureSchema) }),
  async handle({ broker, tenant }, { limit: max = 100 }) {
    return { captures: broker.captures.list(tenant).slice(0, max) }
  },
})
