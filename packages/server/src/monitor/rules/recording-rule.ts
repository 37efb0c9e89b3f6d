// A recording rule turns profiles into a metric. These schemas define the API, the YAML file and the state file.
import { z } from 'zod'
import { durationText, labelMap, ruleName } from '../alerts/alert-rule.ts'

const fields = {
  selector: z.string().min(1).max(16_384).meta({
    description: 'Profiles of one type, with stack predicates: cpu:ns{service.name="shop"} | frame "JSON.parse"',
  }),
  groupBy: z.array(z.string().min(1).max(1024)).max(8).optional().meta({ description: 'One series per group' }),
  per: z.enum(['second', 'core', 'request']).optional().meta({
    description:
      'second (the default): the value per second. core: times as the number of busy cores. request: the value per server span; requires service.name in groupBy',
  }),
  interval: durationText.optional().meta({ description: 'The time that a point covers; default 1m' }),
  labels: labelMap.optional().meta({ description: 'Attributes that all points get' }),
  description: z.string().max(1024).optional(),
} as const

export const recordingRuleFields = fields
export const recordingRule = z.strictObject({ name: ruleName, ...fields })
export type RecordingRule = z.infer<typeof recordingRule>

/** The recorded range of a rule, in nanoseconds since 1970, and the end of the range that was sent on. */
export const recordedRange = z.strictObject({
  from: z.string(),
  to: z.string(),
  sent: z.string(),
  error: z.string().optional(),
})
export type RecordedRange = z.infer<typeof recordedRange>
export const recordingFile = z.strictObject({ rules: z.record(z.string(), recordedRange) })
export type RecordingFile = z.infer<typeof recordingFile>

/** One value of a group. */
export interface RecordedPoint {
  readonly labels: Readonly<Record<string, string>>
  /** The end of the interval, in nanoseconds since 1970. */
  readonly time: bigint
  readonly value: number
}

export interface RecordedPoints {
  readonly unit: string
  readonly points: readonly RecordedPoint[]
}

/** A gauge in OTLP/HTTP's JSON. */
export function metricsJson(rule: RecordingRule, { unit, points }: RecordedPoints, interval: bigint): object {
  const attributes = (labels: Readonly<Record<string, string>>) =>
    Object.entries({ ...labels, ...rule.labels }).map(([key, value]) => ({ key, value: { stringValue: value } }))
  return {
    resourceMetrics: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'hearth' } }] },
        scopeMetrics: [
          {
            scope: { name: 'hearth.recording_rules' },
            metrics: [
              {
                name: rule.name,
                description: rule.description ?? rule.selector,
                unit,
                gauge: {
                  dataPoints: points.map(({ labels, time, value }) => ({
                    attributes: attributes(labels),
                    startTimeUnixNano: `${time - interval}`,
                    timeUnixNano: `${time}`,
                    asDouble: value,
                  })),
                },
              },
            ],
          },
        ],
      },
    ],
  }
}

const label = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
const prometheusName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(\d)/, '_$1')

/** The latest points in the text format of Prometheus. */
export function prometheusText(
  rules: readonly { readonly rule: RecordingRule; readonly points: readonly RecordedPoint[] }[],
): string {
  const lines = rules.flatMap(({ rule, points }) => {
    const name = prometheusName(rule.name)
    const help = (rule.description ?? rule.selector).replaceAll('\\', String.raw`\\`).replaceAll('\n', ' ')
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...points.map(({ labels, value, time }) => {
        const all = Object.entries({ ...labels, ...rule.labels })
        const text = all.map(([key, own]) => `${prometheusName(key)}="${label(own)}"`).join(',')
        return `${name}${text === '' ? '' : `{${text}}`} ${value} ${time / 1_000_000n}`
      }),
    ]
  })
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
