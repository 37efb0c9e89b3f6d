// Ends a silence.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { removed } from '../response/fields.ts'
import { unknownName } from '../response/request-error.ts'

export const removeSilence = defineEndpoint({
  name: 'removeSilence',
  method: 'DELETE',
  path: '/silences/{silence}',
  summary: 'Ends a silence',
  scope: 'capture',
  request: z.strictObject({}),
  response: removed(),
  async handle({ monitor, tenant, pathParameter: id, audit }) {
    if (!(await monitor.alerts.removeSilence(tenant, id))) throw unknownName('silence', id)
    audit('silence-removed', { silence: id })
    return { removed: id }
  },
})
