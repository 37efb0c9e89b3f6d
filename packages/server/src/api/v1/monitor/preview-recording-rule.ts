// The points that a recording rule would have.
import { z } from 'zod'
import { recordingRuleFields } from '../../../monitor/rules/recording-rule.ts'
import { defineEndpoint } from '../endpoint.ts'
import { parseTime } from '../request/times.ts'

const HOUR = 3_600_000_000_000n

export const previewRecordingRule = defineEndpoint({
  name: 'previewRecordingRule',
  method: 'POST',
  path: '/recording-rule-preview',
  summary: 'The points that a recording rule would have, without storing them',
  request: z.strictObject({
    ...recordingRuleFields,
    from: z.string().max(64).optional().meta({ description: 'Default: an hour ago' }),
    to: z.string().max(64).optional().meta({ description: 'Default: now' }),
  }),
  response: z.strictObject({
    unit: z.string(),
    points: z.array(z.strictObject({ labels: z.record(z.string(), z.string()), time: z.string(), value: z.number() })),
  }),
  async handle(context, { from, to, ...spec }) {
    const { monitor, tenant, now, signal } = context
    const end = to === undefined ? now : parseTime(to, now)
    const start = from === undefined ? end - HOUR : parseTime(from, now)
    const rule = { ...spec, name: 'preview' }
    const { unit, points } = await context.inQuerySlot(() => monitor.recorder.preview(tenant, rule, start, end, signal))
    return { unit, points: points.map(({ labels, time, value }) => ({ labels, time: time.toString(), value })) }
  },
})
