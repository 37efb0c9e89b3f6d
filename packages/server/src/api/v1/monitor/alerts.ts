// Alerts and silences.
import { z } from 'zod'
import { alert, silence } from '../../../monitor/alerts/alert-rule.ts'
import { defineEndpoint } from '../endpoint.ts'
import { nameSchema } from '../response/schema-names.ts'

const shownAlert = nameSchema('Alert', z.strictObject({ ...alert.shape, silenced: z.boolean() }))
export const shownSilence = nameSchema('Silence', silence)

export const alerts = defineEndpoint({
  name: 'alerts',
  method: 'GET',
  path: '/alerts',
  summary: 'Pending, firing and recently resolved alerts, and silences',
  request: z.strictObject({
    service: z.string().optional().meta({ description: 'Only alerts with this value of the label service.name' }),
  }),
  response: z.strictObject({ alerts: z.array(shownAlert), silences: z.array(shownSilence) }),
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
