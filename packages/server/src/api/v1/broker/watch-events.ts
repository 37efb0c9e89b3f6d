// Events as they pass the Broker.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { watchedEvent } from './event-watches.ts'
import { name } from './parameters.ts'

export const watchEvents = defineEndpoint({
  name: 'watchEvents',
  method: 'GET',
  path: '/broker/events',
  summary: 'Events as they pass the Broker, one JSON object per line, until the connection ends',
  request: z.strictObject({
    type: name('Only events of this type, or of a type that ends with it'),
    category: z.enum(['MESSAGE', 'REQUEST', 'RESPONSE']).optional().meta({ description: 'Only this category' }),
    component: name('Only events to or from components of this name'),
    outcome: name('Only events with this outcome, such as delivered, answered or timeout'),
  }),
  response: watchedEvent,
  lines: true,
  async handle({ broker, watches, tenant }, filter) {
    return watches.open(broker, tenant, filter)
  },
})
