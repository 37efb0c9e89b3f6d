// Alert rules, receivers and silences. These schemas define the API, the YAML file and the state file.
import { ENTRY_KINDS, parseDurationMs } from '@hearth/profile'
import { z } from 'zod'

export const ruleName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'a name must have 1 to 63 letters, digits, dots, dashes or underscores')
  .meta({ description: 'Unique name: letters, digits, dots, dashes and underscores' })

export const durationText = z
  .string()
  .refine(text => parseDurationMs(text) !== undefined, 'a duration must look like 30s, 5m, 1h or 7d')
  .meta({ description: 'Duration: 30s, 5m, 1h, 7d' })

/** Milliseconds. The schema has checked the text. */
export function durationMs(text: string): number {
  return parseDurationMs(text) ?? 0
}

export const labelMap = z.record(z.string().min(1).max(128), z.string().max(1024))

const metricCondition = z.strictObject({
  kind: z.literal('metric'),
  metric: z.string().min(1).max(1024).meta({ description: 'Name of a stored metric, or of a recording rule' }),
  service: z.string().max(1024).optional(),
  selector: z
    .string()
    .max(16_384)
    .optional()
    .meta({ description: 'Matchers on attributes, for example {region="eu"}' }),
  aggregation: z.enum(['rate', 'increase', 'average', 'last', 'min', 'max', 'count']).optional(),
  quantile: z.number().min(0).max(1).optional().meta({ description: 'For histograms' }),
})

const profileCondition = z.strictObject({
  kind: z.literal('profile'),
  selector: z.string().min(1).max(16_384).meta({
    description:
      'Profiles, for example cpu:ns{service.name="shop"} | frame "gc". The value is a rate per second, or the average of a state such as the live heap',
  }),
})

const ledgerCondition = z.strictObject({
  kind: z.literal('ledger'),
  service: z.string().min(1).max(1024),
  operation: z
    .string()
    .min(1)
    .max(1024)
    .meta({ description: 'Name of the spans. All spans of the window are averaged' }),
  entry: z
    .enum(ENTRY_KINDS)
    .meta({ description: 'The entry of the time ledger. The value is in nanoseconds per span' }),
})

const regressionCondition = z.strictObject({
  kind: z.literal('regression'),
  service: z.string().max(1024).optional().meta({ description: 'Default: any service' }),
  type: z.string().max(256).optional().meta({ description: 'Profile type, for example cpu:ns; default: any' }),
  minChange: z
    .number()
    .min(0)
    .optional()
    .meta({ description: 'Minimum change in the unit of the finding, e.g. cores' }),
  minIncrease: z.number().min(0).optional().meta({ description: 'Minimum increase in percent of the cost before' }),
})

const test = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('above'), value: z.number() }),
  z.strictObject({ kind: z.literal('below'), value: z.number() }),
  z.strictObject({
    kind: z.literal('change'),
    percent: z.number().meta({ description: 'Positive for an increase, negative for a decrease' }),
    against: durationText.meta({ description: 'How long ago the compared window was, for example 1d' }),
  }),
  z.strictObject({ kind: z.literal('absent') }),
])

const fields = {
  condition: z.discriminatedUnion('kind', [metricCondition, profileCondition, ledgerCondition, regressionCondition]),
  test: test.optional().meta({ description: 'Required unless the condition is a regression' }),
  window: durationText.optional().meta({ description: 'The values of this time are averaged; default 5m' }),
  groupBy: z.array(z.string().min(1).max(1024)).max(8).optional().meta({ description: 'One alert per group' }),
  for: durationText.optional().meta({ description: 'How long the condition must hold; default 0s' }),
  labels: labelMap.optional(),
  summary: z.string().max(1024).optional().meta({ description: 'A sentence for people' }),
  receivers: z.array(ruleName).max(16).optional().meta({ description: 'Names of receivers; default: all' }),
  capture: z
    .strictObject({
      service: z.string().max(1024).optional().meta({ description: "Default: the alert's label service.name" }),
      type: z.string().min(1).max(64).optional().meta({ description: 'Default: cpu' }),
      durationMs: z.int().min(1).max(600_000).optional().meta({ description: 'Default: 10000' }),
    })
    .optional()
    .meta({ description: 'Starts a capture when the alert fires' }),
  enabled: z.boolean().optional().meta({ description: 'Default: true' }),
} as const

export const alertRuleFields = fields
export const alertRule = z
  .strictObject({ name: ruleName, ...fields })
  .refine(
    ({ condition, test: own }) => condition.kind === 'regression' || own !== undefined,
    'test is missing: above, below, change or absent',
  )
  .refine(
    ({ condition, capture, groupBy = [], labels = {} }) =>
      capture === undefined ||
      capture.service !== undefined ||
      condition.kind === 'regression' ||
      condition.kind === 'ledger' ||
      groupBy.includes('service.name') ||
      'service.name' in labels,
    'a capture needs a service: set capture.service, or add service.name to groupBy',
  )
export type AlertRule = z.infer<typeof alertRule>

const url = z.url({ protocol: /^https?$/ }).max(2048)

export const receiverSpec = z.strictObject({
  kind: z.enum(['webhook', 'slack', 'alertmanager', 'otlp-logs']),
  url: url.optional().meta({
    description:
      'Address of the webhook, of the Alertmanager, or of an OTLP endpoint. otlp-logs without it stores logs in Hearth',
  }),
  secret: z.string().min(1).max(1024).optional().meta({ description: 'Signs requests of webhooks; never returned' }),
  headers: labelMap.optional().meta({ description: 'Further headers, such as authorization; never returned' }),
  groupBy: z
    .array(z.string().min(1).max(128))
    .max(8)
    .optional()
    .meta({ description: 'Alerts with the same values of these labels are sent together; default: alertname' }),
  reports: z.boolean().optional().meta({ description: 'Gets the weekly report; not for alertmanager and otlp-logs' }),
  repeat: durationText.optional().meta({ description: 'Firing alerts are sent again after this time; default 4h' }),
})
export const receiver = z.strictObject({ name: ruleName, ...receiverSpec.shape })
export type AlertReceiver = z.infer<typeof receiver>

export const silenceSpec = z.strictObject({
  matchers: labelMap.meta({ description: 'Labels and values; all must be equal. alertname is the name of the rule' }),
  until: z.iso.datetime(),
  comment: z.string().max(1024).optional(),
})
export const silence = z.strictObject({
  id: z.string(),
  ...silenceSpec.shape,
  by: z.string(),
  created: z.iso.datetime(),
})
export type Silence = z.infer<typeof silence>

/** Whether all matchers have the value of the label. */
export function isSilenced(
  labels: Readonly<Record<string, string>>,
  silences: readonly Silence[],
  now: number,
): boolean {
  return silences.some(
    ({ matchers, until }) =>
      Date.parse(until) > now && Object.entries(matchers).every(([label, value]) => labels[label] === value),
  )
}

export const alert = z.strictObject({
  id: z.string(),
  rule: z.string(),
  labels: labelMap,
  state: z.enum(['pending', 'firing', 'resolved']),
  value: z.number().optional(),
  summary: z.string(),
  since: z.iso.datetime().meta({ description: 'Since when the condition holds' }),
  fired: z.iso.datetime().optional(),
  resolved: z.iso.datetime().optional(),
  finding: z.string().optional().meta({ description: 'The id of the finding' }),
  capture: z.string().optional().meta({ description: 'The id of the capture that it started' }),
})
export type Alert = z.infer<typeof alert>
