// Replaces a trigger.
import { z } from 'zod'
import { triggerSpec } from '../../../broker/triggers/trigger.ts'
import { defineEndpoint } from '../endpoint.ts'
import { unknownName } from '../response/request-error.ts'
import { triggerSchema } from './triggers.ts'

export const changeTrigger = defineEndpoint({
  name: 'changeTrigger',
  method: 'PUT',
  path: '/triggers/{trigger}',
  summary: 'Replaces a trigger; fields that are not given get their defaults',
  scope: 'capture',
  request: z.strictObject(triggerSpec.shape),
  response: triggerSchema,
  async handle({ broker, tenant, pathParameter: name, audit }, spec) {
    const changed = broker.triggers.change(tenant, name, spec)
    if (changed === undefined) throw unknownName('trigger', name)
    audit('trigger-changed', { trigger: name, rule: changed.rule })
    return changed
  },
})
