// The alert rules of the tenant.
import { z } from 'zod'
import { alertRule } from '../../../monitor/alerts/alert-rule.ts'
import { defineEndpoint } from '../endpoint.ts'
import { nameSchema } from '../response/schema-names.ts'
import { source } from './rule-requests.ts'

export const shownAlertRule = nameSchema('AlertRule', z.strictObject({ ...alertRule.shape, source }))

export const alertRules = defineEndpoint({
  name: 'alertRules',
  method: 'GET',
  path: '/alert-rules',
  summary: 'Alert rules',
  request: z.strictObject({}),
  response: z.strictObject({ rules: z.array(shownAlertRule) }),
  async handle({ monitor, tenant }) {
    return { rules: monitor.rules.list(tenant, 'alerts') }
  },
})
