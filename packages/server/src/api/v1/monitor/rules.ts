// Alert rules, recording rules and receivers.
import { z } from 'zod'
import { alertRule, alertRuleFields, receiver, receiverSpec, ruleName } from '../../../monitor/alerts/alert-rule.ts'
import { intervalOf } from '../../../monitor/rules/recorder.ts'
import { recordedRange, recordingRule, recordingRuleFields } from '../../../monitor/rules/recording-rule.ts'
import type { RuleKind } from '../../../monitor/rules/rule-store.ts'
import { RuleError } from '../../../monitor/rules/rule-store.ts'
import { parseSelector } from '../../../query/selector/parse-selector.ts'
import { unknownName } from '../broker/parameters.ts'
import { defineEndpoint } from '../endpoint.ts'
import type { RequestContext } from '../request/request-context.ts'
import { parseTime } from '../request/times.ts'
import { RequestError } from '../response/request-error.ts'
import { nameSchema } from '../response/schema-names.ts'

const source = z.enum(['file', 'api']).meta({ description: 'Rules from the file of the server cannot be changed here' })
const removed = z.strictObject({ removed: z.string() })

async function changed<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof RuleError) throw new RequestError(409, 'conflict', error.message)
    throw error
  }
}

async function remove(
  { monitor, tenant, pathParameter: name, audit }: RequestContext,
  kind: RuleKind,
): Promise<{ removed: string }> {
  if (!(await changed(() => monitor.rules.remove(tenant, kind, name)))) throw unknownName('rule', name)
  audit('rule-removed', { kind, rule: name })
  return { removed: name }
}

const shownAlertRule = nameSchema('AlertRule', z.strictObject({ ...alertRule.shape, source }))

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

export const removeAlertRule = defineEndpoint({
  name: 'removeAlertRule',
  method: 'DELETE',
  path: '/alert-rules/{rule}',
  summary: 'Deletes an alert rule; its alerts end',
  scope: 'capture',
  request: z.strictObject({}),
  response: removed,
  handle: context => remove(context, 'alerts'),
})

const shownRecordingRule = nameSchema(
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

export const removeRecordingRule = defineEndpoint({
  name: 'removeRecordingRule',
  method: 'DELETE',
  path: '/recording-rules/{rule}',
  summary: 'Deletes a recording rule; its points stay',
  scope: 'capture',
  request: z.strictObject({}),
  response: removed,
  handle: context => remove(context, 'recording'),
})

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

/** Secrets and headers are never returned. */
const shownReceiver = nameSchema(
  'Receiver',
  z.strictObject({ ...receiver.omit({ secret: true, headers: true }).shape, signed: z.boolean(), source }),
)

export const receivers = defineEndpoint({
  name: 'receivers',
  method: 'GET',
  path: '/receivers',
  summary: 'Receivers of alerts and reports',
  request: z.strictObject({}),
  response: z.strictObject({ receivers: z.array(shownReceiver) }),
  async handle({ monitor, tenant }) {
    return { receivers: monitor.rules.list(tenant, 'receivers').map(shown) }
  },
})

export const putReceiver = defineEndpoint({
  name: 'putReceiver',
  method: 'PUT',
  path: '/receivers/{receiver}',
  summary: 'Adds or replaces a receiver; the server sends requests to its address',
  scope: 'admin',
  request: receiverSpec,
  response: shownReceiver,
  async handle({ monitor, tenant, pathParameter, audit }, spec) {
    if (spec.url === undefined && spec.kind !== 'otlp-logs')
      throw new RequestError(400, 'argument', `a receiver of kind ${spec.kind} needs a url`)
    const added = { ...spec, name: checkedName(pathParameter) }
    await changed(() => monitor.rules.put(tenant, 'receivers', added))
    audit('receiver-changed', { receiver: added.name, kind: spec.kind })
    return shown({ ...added, source: 'api' })
  },
})

export const removeReceiver = defineEndpoint({
  name: 'removeReceiver',
  method: 'DELETE',
  path: '/receivers/{receiver}',
  summary: 'Deletes a receiver',
  scope: 'admin',
  request: z.strictObject({}),
  response: removed,
  handle: context => remove(context, 'receivers'),
})

function shown({
  secret,
  headers: _,
  ...rest
}: z.infer<typeof receiver> & { readonly source: 'file' | 'api' }): z.infer<typeof shownReceiver> {
  return { ...rest, signed: secret !== undefined }
}

function checkedName(name: string): string {
  return checked(ruleName, name)
}

function checked<Value>(schema: z.ZodType<Value>, value: Value): Value {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new RequestError(400, 'argument', parsed.error.issues[0].message)
  return parsed.data
}
