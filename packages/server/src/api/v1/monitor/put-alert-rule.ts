// Adds or replaces an alert rule.
import { z } from 'zod'
import { alertRule, alertRuleFields } from '../../../monitor/alerts/alert-rule.ts'
import { parseSelector } from '../../../query/selector/parse-selector.ts'
import { defineEndpoint } from '../endpoint.ts'
import { shownAlertRule } from './alert-rules.ts'
import { changed, checked, checkedName } from './rule-requests.ts'

export const putAlertRule = defineEndpoint({
  name: 'putAlertRule',
  method: 'PUT',
  path: '/alert-rules/{rule}',
  summary: 'Adds or replaces an alert rule',
  scope: 'capture',
  request: z.strictObject(alertRuleFields),
  response: shownAlertRule,
  async handle({ monitor, tenant, pathParameter, audit }, spec) {
    const rule = { ...spec, name: checkedName(pathParameter) }
    checked(alertRule, rule)
    if (rule.condition.kind === 'profile') parseSelector(rule.condition.selector)
    await changed(() => monitor.rules.put(tenant, 'alerts', rule))
    audit('rule-changed', { kind: 'alerts', rule: rule.name })
    return { ...rule, source: 'api' as const }
  },
})
