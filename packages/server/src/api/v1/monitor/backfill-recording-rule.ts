// Records the time before the first point of a recording rule.
import { z } from 'zod'
import { intervalOf } from '../../../monitor/rules/recorder.ts'
import { defineEndpoint } from '../endpoint.ts'
import { parseTime } from '../request/times.ts'
import { RequestError, unknownName } from '../response/request-error.ts'

export const backfillRecordingRule = defineEndpoint({
  name: 'backfillRecordingRule',
  method: 'POST',
  path: '/recording-rules/{rule}/backfill',
  summary: 'Records the time from `from` to the first recorded point',
  scope: 'capture',
  request: z.strictObject({ from: z.string().max(64).meta({ description: 'For example now-7d' }) }),
  response: z.strictObject({ points: z.number() }),
  async handle(context, { from }) {
    const { monitor, tenant, pathParameter: name, now, signal } = context
    const rule = monitor.rules.get(tenant, 'recording', name)
    if (rule === undefined) throw unknownName('rule', name)
    const start = parseTime(from, now)
    if (start > now - intervalOf(rule)) throw new RequestError(400, 'argument', 'from must be in the past')
    return { points: await context.inQuerySlot(() => monitor.recorder.backfill(tenant, rule, start, signal)) }
  },
})
