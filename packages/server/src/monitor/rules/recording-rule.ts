// A recording rule turns profiles or the time ledgers of an operation into a metric. These schemas define the API, the YAML file and
// the state file.
import { ENTRY_BOUNDS } from '@hearth/profile'
import { z } from 'zod'
import { durationText, labelMap, ruleName } from '../alerts/alert-rule.ts'

const fields = {
  selector: z.string().min(1).max(16_384).optional().meta({
    description:
      'Profiles of one type, with stack predicates: cpu:ns{service.name="shop"} | frame "JSON.parse". A rule has either a selector or a ledger',
  }),
  ledger: z
    .strictObject({
      operation: z.string().min(1).max(1024).meta({ description: 'The name of the spans, such as GET /search' }),
      service: z.string().max(1024).optional().meta({ description: 'Default: any service' }),
    })
    .optional()
    .meta({
      description:
        'The time ledgers of an operation: a histogram of the seconds per request, with the entry in hearth.ledger.entry',
    }),
  groupBy: z.array(z.string().min(1).max(1024)).max(8).optional().meta({
    description: 'One series per group. For ledgers: attributes of spans or resources',
  }),
  per: z.enum(['second', 'core', 'request']).optional().meta({
    description:
      'Not for ledgers. second (the default): the value per second, or the average of a state such as the live heap. core: times as the number of busy cores. request: the value per server span; requires service.name in groupBy',
  }),
  interval: durationText.optional().meta({ description: 'The time that a point covers; default 1m' }),
  labels: labelMap.optional().meta({ description: 'Attributes that all points get' }),
  description: z.string().max(1024).optional(),
} as const

export const recordingRuleFields = fields
export const recordingRule = z.strictObject({ name: ruleName, ...fields }).superRefine((rule, context) => {
  const problem = recordingProblem(rule)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})
export type RecordingRule = z.infer<typeof recordingRule>

/** The problem of a combination of fields. */
export function recordingProblem({
  selector,
  ledger,
  per,
}: Pick<RecordingRule, 'selector' | 'ledger' | 'per'>): string | undefined {
  if ((selector === undefined) === (ledger === undefined)) return 'a recording rule needs either a selector or a ledger'
  if (ledger !== undefined && per !== undefined) return 'per is for selectors; a ledger is always per request'
  return undefined
}

/** The source of the values, for people. */
function sourceOf({ selector, ledger }: RecordingRule): string {
  return selector ?? `Time of ${ledger?.operation ?? ''} by entry of the time ledger`
}

/** The attribute of a ledger's points that names the entry. */
export const ENTRY_LABEL = 'hearth.ledger.entry'

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
  /** The average, if there is a histogram. */
  readonly value: number
  readonly histogram?: RecordedHistogram
}

/** `buckets` has one count more than there are ENTRY_BOUNDS. */
export interface RecordedHistogram {
  readonly count: number
  readonly sum: number
  readonly buckets: readonly number[]
}

export interface RecordedPoints {
  readonly unit: string
  readonly points: readonly RecordedPoint[]
}

const DELTA = 1

/** A gauge, or a histogram of a ledger, in OTLP/HTTP's JSON. */
export function metricsJson(rule: RecordingRule, { unit, points }: RecordedPoints, interval: bigint): object {
  const dataPoints = points.map(({ labels, time, value, histogram }) => ({
    attributes: Object.entries({ ...labels, ...rule.labels }).map(([key, own]) => ({
      key,
      value: { stringValue: own },
    })),
    startTimeUnixNano: `${time - interval}`,
    timeUnixNano: `${time}`,
    ...(histogram === undefined
      ? { asDouble: value }
      : {
          count: String(histogram.count),
          sum: histogram.sum,
          explicitBounds: ENTRY_BOUNDS,
          bucketCounts: histogram.buckets.map(String),
        }),
  }))
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
                description: rule.description ?? sourceOf(rule),
                unit,
                ...(rule.ledger === undefined
                  ? { gauge: { dataPoints } }
                  : { histogram: { aggregationTemporality: DELTA, dataPoints } }),
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

/** The latest points in the text format of Prometheus. The counts of histograms are cumulative. */
export function prometheusText(
  rules: readonly { readonly rule: RecordingRule; readonly points: readonly RecordedPoint[] }[],
): string {
  const lines = rules.flatMap(({ rule, points }) => {
    const name = prometheusName(rule.name)
    const help = (rule.description ?? sourceOf(rule)).replaceAll('\\', String.raw`\\`).replaceAll('\n', ' ')
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${rule.ledger === undefined ? 'gauge' : 'histogram'}`,
      ...points.flatMap(({ labels, value, time, histogram }) => {
        const own = { ...labels, ...rule.labels }
        if (histogram === undefined) return [`${name}${labelText(own)} ${value} ${time / 1_000_000n}`]
        let below = 0
        return [
          ...histogram.buckets.map(
            (count, i) =>
              `${name}_bucket${labelText({ ...own, le: String(ENTRY_BOUNDS[i] ?? '+Inf') })} ${(below += count)}`,
          ),
          `${name}_sum${labelText(own)} ${histogram.sum}`,
          `${name}_count${labelText(own)} ${histogram.count}`,
        ]
      }),
    ]
  })
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const text = Object.entries(labels).map(([key, value]) => `${prometheusName(key)}="${label(value)}"`)
  return text.length === 0 ? '' : `{${text.join(',')}}`
}
