// The rows of the Services screen: search, order and texts, without the DOM.
import type { OverviewResponse } from '@hearth/client'
import { formatValue } from '@hearth/profile'
import { unitPer } from '../../address/divisor.ts'
import type { Normalisation } from '../../address/normalisation.ts'
import type { ServiceSort, ServicesRoute } from '../../address/route.ts'

export type ServiceRow = OverviewResponse['services'][number]
type Change = NonNullable<ServiceRow['sinceYesterday']>

/** The name that the UI shows. Brackets mark data without a service name, and an executable that stands in for one. */
export function serviceTitle({ service, isExecutable }: Pick<ServiceRow, 'service' | 'isExecutable'>): string {
  if (service === '') return '(no service name)'
  return isExecutable === true ? `(${service})` : service
}

/** The rows that match the search, in the order of the route. Rows without a value are last in any order. */
export function shownServices(
  rows: readonly ServiceRow[],
  { find, sort, reverse }: Pick<ServicesRoute, 'find' | 'sort' | 'reverse'>,
): readonly ServiceRow[] {
  const words = find.toLowerCase().split(/\s+/)
  const matching = rows.filter(row => {
    const text = `${serviceTitle(row)} ${row.types.join(' ')}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
  const order = reverse ? -1 : 1
  return matching.toSorted((a, b) => {
    if (sort === 'name') return order * a.service.localeCompare(b.service, 'en')
    const [first, second] = [keyOf(a, sort), keyOf(b, sort)]
    if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined)
    return order * (second - first) || a.service.localeCompare(b.service, 'en')
  })
}

function keyOf(row: ServiceRow, sort: Exclude<ServiceSort, 'name'>): number | undefined {
  switch (sort) {
    case 'cpu':
      return row.value === undefined ? undefined : Number(row.value.sum) / (row.value.seconds || 1)
    case 'day':
      return row.sinceYesterday?.ratio
    case 'version':
      return row.version?.change?.ratio
    case 'requests':
      return row.requests?.count
    case 'p95':
      return row.requests?.p95
  }
}

/** The value of a service in the chosen normalisation. `total` is the sum over all services of the same type. */
export function serviceValue({ value, requests }: ServiceRow, per: Normalisation, total: number): string {
  if (value === undefined) return ''
  const divisors = { seconds: value.seconds, requests: requests?.count ?? 0, total }
  return formatValue(BigInt(value.sum), unitPer(value.unit, per, divisors))
}

/** The sum of each of `count` steps of the range; undefined without profiles. */
export function stepSums({ value }: ServiceRow, count: number): readonly (number | undefined)[] {
  const values = Array.from({ length: count }, (): number | undefined => undefined)
  for (const { step, sum } of value?.steps ?? []) values[step] = sum
  return values
}

/** The sums of the services by profile type. */
export function totalsByType(rows: readonly ServiceRow[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>()
  for (const { value } of rows) {
    if (value !== undefined) totals.set(value.type, (totals.get(value.type) ?? 0) + Number(value.sum))
  }
  return totals
}

export interface ChangeText {
  /** Such as `+4%`. */
  readonly text: string
  readonly isSignificant: boolean
  readonly isMore: boolean
  /** The interval, for the tooltip. */
  readonly title: string
}

/** A change counts if its interval does not contain 0 and it is at least a percent. */
export function changeText({ ratio, low, high }: Change): ChangeText {
  const isSignificant = low !== undefined && high !== undefined && low * high > 0 && Math.abs(ratio) >= 0.01
  const title =
    low === undefined || high === undefined
      ? 'Too little data for an interval'
      : `95% interval: ${signedRatio(low)} to ${signedRatio(high)}${isSignificant ? '' : '. Not significant'}`
  return { text: signedRatio(ratio), isSignificant, isMore: ratio > 0, title }
}

/** `+4%`, `−12%`, `0%`, `×3.1` from twice on. */
export function signedRatio(ratio: number): string {
  if (ratio >= 1) return `×${(ratio + 1).toFixed(ratio >= 9 ? 0 : 1)}`
  const percent = Math.round(ratio * 100)
  return percent === 0 ? '0%' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)}%`
}

/** The rate of requests: `42/s`, `0.12/s`. */
export function requestRate(count: number, seconds: number): string {
  const rate = count / Math.max(1, seconds)
  return `${rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toPrecision(2).replace(/\.0$/, '')}/s`
}
