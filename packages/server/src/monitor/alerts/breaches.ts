// The groups of values for which the condition of a rule holds now.
import { formatAmount } from '@hearth/profile'
import type { Finding } from '../findings/finding.ts'
import { findingSentence } from '../findings/finding-text.ts'
import type { AlertRule } from './alert-rule.ts'
import { durationMs } from './alert-rule.ts'
import type { Breach } from './alert-states.ts'

/** The average of each group in a range. Groups without values are missing. */
export type ReadValues = (request: {
  readonly tenant: string
  readonly condition: Exclude<AlertRule['condition'], { readonly kind: 'regression' }>
  readonly groupBy: readonly string[]
  readonly from: number
  readonly to: number
  readonly signal: AbortSignal
}) => Promise<{ readonly unit: string; readonly groups: readonly GroupValue[] }>

export interface GroupValue {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface BreachContext {
  readonly tenant: string
  readonly findings: readonly Finding[]
  readonly values: ReadValues
  readonly now: number
  readonly signal: AbortSignal
}

const DEFAULT_WINDOW = '5m'
/** Profiles and spans of a moment arrive this much later at most. A window that ends now would lack some, and its values would be too small. */
const LATE_MS = 30_000

export async function breachesOf(rule: AlertRule, context: BreachContext): Promise<readonly Breach[]> {
  const { condition, test, groupBy = [], window = DEFAULT_WINDOW } = rule
  if (condition.kind === 'regression') return regressionBreaches(condition, context.findings, rule)
  if (test === undefined) return []
  const { tenant, values, now, signal } = context
  const length = durationMs(window)
  const read = (to: number) => values({ tenant, condition, groupBy, from: to - length, to, signal })
  const end = condition.kind === 'metric' ? now : now - LATE_MS
  const { unit, groups } = await read(end)
  const shown = (value: number): string => formatAmount(Number(value.toPrecision(3)), unit)
  const breach = ({ labels, value }: GroupValue, text: string): Breach => ({
    labels,
    value,
    summary: rule.summary ?? `${nameOf(rule)} is ${shown(value)}, ${text}`,
  })
  switch (test.kind) {
    case 'above':
      return groups.filter(({ value }) => value > test.value).map(each => breach(each, `above ${shown(test.value)}`))
    case 'below':
      return groups.filter(({ value }) => value < test.value).map(each => breach(each, `below ${shown(test.value)}`))
    case 'absent':
      if (groups.length > 0) return []
      return [{ labels: {}, summary: rule.summary ?? `${nameOf(rule)} has no values in the last ${window}` }]
    case 'change': {
      const before = await read(end - durationMs(test.against))
      return groups.flatMap(each => {
        const key = JSON.stringify(each.labels)
        const old = before.groups.find(({ labels }) => JSON.stringify(labels) === key)?.value
        if (old === undefined || old === 0) return []
        const percent = (100 * (each.value - old)) / Math.abs(old)
        const holds = test.percent >= 0 ? percent > test.percent : percent < test.percent
        const sign = percent > 0 ? '+' : ''
        return holds ? [breach(each, `${sign}${percent.toFixed(1)} % against ${test.against} ago`)] : []
      })
    }
  }
}

function nameOf({ name, condition }: AlertRule): string {
  return condition.kind === 'metric' ? condition.metric : name
}

function regressionBreaches(
  { service, type, minChange = 0, minIncrease = 0 }: Extract<AlertRule['condition'], { readonly kind: 'regression' }>,
  findings: readonly Finding[],
  rule: AlertRule,
): Breach[] {
  return findings
    .filter(finding => finding.state === 'open')
    .filter(finding => service === undefined || finding.service === service)
    .filter(finding => type === undefined || finding.type === type)
    .filter(({ change, before }) => change >= minChange && (100 * change) / Math.max(before, 1e-12) >= minIncrease)
    .map(finding => ({
      labels: {
        'service.name': finding.service,
        ...(finding.environment === undefined ? {} : { 'deployment.environment.name': finding.environment.value }),
        ...(finding.version === '' ? {} : { 'service.version': finding.version }),
        function: finding.cause.name,
      },
      value: finding.change,
      summary: rule.summary ?? findingSentence(finding),
      finding: finding.id,
    }))
}
