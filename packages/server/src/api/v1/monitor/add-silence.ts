// Silences alerts.
import { silenceSpec } from '../../../monitor/alerts/alert-rule.ts'
import { defineEndpoint } from '../endpoint.ts'
import { shownSilence } from './alerts.ts'

export const addSilence = defineEndpoint({
  name: 'addSilence',
  method: 'POST',
  path: '/silences',
  summary: 'Silences alerts with certain labels until a time',
  scope: 'capture',
  request: silenceSpec,
  response: shownSilence,
  status: 201,
  async handle({ monitor, tenant, caller, audit }, spec) {
    const added = await monitor.alerts.addSilence(tenant, { ...spec, by: caller })
    audit('silence-added', { silence: added.id, until: spec.until })
    return added
  },
})
