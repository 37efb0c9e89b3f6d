// Adds or replaces a recording rule.
import { z } from 'zod'
import { recordingRule, recordingRuleFields } from '../../../monitor/rules/recording-rule.ts'
import { parseSelector } from '../../../query/selector/parse-selector.ts'
import { defineEndpoint } from '../endpoint.ts'
import { shownRecordingRule } from './recording-rules.ts'
import { changed, checked, checkedName } from './rule-requests.ts'

export const putRecordingRule = defineEndpoint({
  name: 'putRecordingRule',
  method: 'PUT',
  path: '/recording-rules/{rule}',
  summary: 'Adds or replaces a recording rule',
  scope: 'capture',
  request: z.strictObject(recordingRuleFields),
  response: shownRecordingRule,
  async handle({ monitor, tenant, pathParameter, audit }, spec) {
    const rule = { ...spec, name: checkedName(pathParameter) }
    checked(recordingRule, rule)
    if (rule.selector !== undefined) parseSelector(rule.selector)
    await changed(() => monitor.rules.put(tenant, 'recording', rule))
    audit('rule-changed', { kind: 'recording', rule: rule.name })
    return { ...rule, source: 'api' as const }
  },
})
