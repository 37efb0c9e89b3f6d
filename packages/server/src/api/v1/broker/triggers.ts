// The list of triggers.
import { z } from 'zod'
import { trigger } from '../../../broker/triggers/trigger.ts'
import { defineEndpoint } from '../endpoint.ts'
import { nameSchema } from '../response/schema-names.ts'

export const triggerSchema = nameSchema('Trigger', trigger)

export const triggers = defineEndpoint({
  name: 'triggers',
  method: 'GET',
  path: '/triggers',
  summary: 'Triggers: rules over received telemetry that start captures',
  request: z.strictObject({}),
  response: z.strictObject({
    triggers: z.array(triggerSchema),
    budgetPerMinute: z.int().meta({ description: 'Maximum number of captures that all triggers start per minute' }),
  }),
  async handle({ broker, tenant }) {
    return { triggers: [...broker.triggers.list(tenant)], budgetPerMinute: broker.triggers.budgetPerMinute }
  },
})
