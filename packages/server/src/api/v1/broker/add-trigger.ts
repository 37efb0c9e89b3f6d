// Adds a trigger.
import { z } from 'zod'
import { triggerName, triggerSpec } from '../../../broker/triggers/trigger.ts'
import { defineEndpoint } from '../endpoint.ts'
import { triggerSchema } from './triggers.ts'

export const addTrigger = defineEndpoint({
  name: 'addTrigger',
  method: 'POST',
  path: '/triggers',
  summary: 'Adds a trigger',
  scope: 'capture',
  request: z.strictObject({ name: triggerName, ...triggerSpec.shape }),
  response: triggerSchema,
  status: 201,
  async handle({ broker, tenant, audit }, { name, ...spec }) {
    const added = broker.triggers.add(tenant, name, spec)
    audit('trigger-added', { trigger: name, rule: added.rule })
    return added
  },
})
