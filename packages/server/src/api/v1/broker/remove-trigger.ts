// Deletes a trigger.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { removed } from '../response/fields.ts'
import { unknownName } from '../response/request-error.ts'

export const removeTrigger = defineEndpoint({
  name: 'removeTrigger',
  method: 'DELETE',
  path: '/triggers/{trigger}',
  summary: 'Deletes a trigger; its history is kept',
  scope: 'capture',
  request: z.strictObject({}),
  response: removed(),
  async handle({ broker, tenant, pathParameter: name, audit }) {
    if (!broker.triggers.remove(tenant, name)) throw unknownName('trigger', name)
    audit('trigger-removed', { trigger: name })
    return { removed: name }
  },
})
