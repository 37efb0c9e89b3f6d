// Alerts, silences, and the log of what was sent.
import { z } from 'zod'
import { alert, silence, silenceSpec } from '../../../monitor/alerts/alert-rule.ts'
import { sentNotification } from '../../../monitor/notify/outbox.ts'
import { unknownName } from '../broker/parameters.ts'
import { defineEndpoint } from '../endpoint.ts'
import { nameSchema } from '../response/schema-names.ts'

const shownAlert = nameSchema('Alert', z.strictObject({ ...alert.shape, silenced: z.boolean() }))
nameSchema('Silence', silence)
nameSchema('SentNotification', sentNotification)

export const alerts = defineEndpoint({
  name: 'alerts',
  method: 'GET',
  path: '/alerts',
  summary: 'Pending, firing and recently resolved alerts, and silences',
  request: z.strictObject({
    service: z.string().optional().meta({ description: 'Only alerts with this value of the label service.name' }),
  }),
  response: z.strictObject({ alerts: z.array(shownAlert), silences: z.array(silence) }),
  async handle({ monitor, tenant }, { service }) {
    const list = monitor.alerts
      .list(tenant)
      .filter(each => service === undefined || each.labels['service.name'] === service)
    return {
      alerts: list.map(each => ({ ...each, silenced: monitor.alerts.isSilenced(tenant, each) })),
      silences: [...monitor.alerts.silences(tenant)],
    }
  },
})

export const addSilence = defineEndpoint({
  name: 'addSilence',
  method: 'POST',
  path: '/silences',
  summary: 'Silences alerts with certain labels until a time',
  scope: 'capture',
  request: silenceSpec,
  response: silence,
  status: 201,
  async handle({ monitor, tenant, caller, audit }, spec) {
    const added = await monitor.alerts.addSilence(tenant, { ...spec, by: caller })
    audit('silence-added', { silence: added.id, until: spec.until })
    return added
  },
})

export const removeSilence = defineEndpoint({
  name: 'removeSilence',
  method: 'DELETE',
  path: '/silences/{silence}',
  summary: 'Ends a silence',
  scope: 'capture',
  request: z.strictObject({}),
  response: z.strictObject({ removed: z.string() }),
  async handle({ monitor, tenant, pathParameter: id, audit }) {
    if (!(await monitor.alerts.removeSilence(tenant, id))) throw unknownName('silence', id)
    audit('silence-removed', { silence: id })
    return { removed: id }
  },
})

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
