// The log of messages to receivers.
import { z } from 'zod'
import { sentNotification } from '../../../monitor/notify/outbox.ts'
import { defineEndpoint } from '../endpoint.ts'
import { nameSchema } from '../response/schema-names.ts'

nameSchema('SentNotification', sentNotification)

export const notifications = defineEndpoint({
  name: 'notifications',
  method: 'GET',
  path: '/notifications',
  summary: 'The log of messages to receivers, and messages that wait',
  request: z.strictObject({}),
  response: z.strictObject({
    waiting: z.array(
      z.strictObject({
        id: z.string(),
        receiver: z.string(),
        created: z.iso.datetime(),
        attempts: z.number(),
        next: z.iso.datetime().meta({ description: 'When it is tried again' }),
        error: z.string().optional(),
      }),
    ),
    sent: z.array(sentNotification).meta({ description: 'Latest first' }),
  }),
  async handle({ monitor, tenant }) {
    return {
      waiting: monitor.outbox.waiting(tenant).map(({ id, receiver, created, attempts, next, error }) => ({
        id,
        receiver,
        created,
        attempts,
        next: new Date(next).toISOString(),
        ...(error === undefined ? {} : { error }),
      })),
      sent: [...monitor.outbox.sent(tenant)],
    }
  },
})
