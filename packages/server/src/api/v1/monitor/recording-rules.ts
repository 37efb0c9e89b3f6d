// The recording rules of the tenant.
import { z } from 'zod'
import { recordedRange, recordingRule } from '../../../monitor/rules/recording-rule.ts'
import { defineEndpoint } from '../endpoint.ts'
import { nameSchema } from '../response/schema-names.ts'
import { source } from './rule-requests.ts'

export const shownRecordingRule = nameSchema(
  'RecordingRule',
  z.strictObject({
    ...recordingRule.shape,
    source,
    recorded: recordedRange.optional().meta({ description: 'The recorded range; missing before the first point' }),
  }),
)

export const recordingRules = defineEndpoint({
  name: 'recordingRules',
  method: 'GET',
  path: '/recording-rules',
  summary: 'Recording rules, which turn profiles and time ledgers into metrics',
  request: z.strictObject({}),
  response: z.strictObject({ rules: z.array(shownRecordingRule) }),
  async handle({ monitor, tenant }) {
    return {
      rules: monitor.rules.list(tenant, 'recording').map(rule => {
        const recorded = monitor.recorder.range(tenant, rule.name)
        return { ...rule, ...(recorded === undefined ? {} : { recorded }) }
      }),
    }
  },
})
