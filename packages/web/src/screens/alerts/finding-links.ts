// The comparison of a finding on the Compare screen.
import type { Finding } from '@hearth/client'
import type { Filter, Query } from '../../address/query.ts'
import { EMPTY_QUERY } from '../../address/query.ts'
import type { CompareRoute, FunctionName, FunctionRoute } from '../../address/route.ts'
import { compareRoute } from '../../address/compare-route.ts'
import { functionRoute } from '../../address/route.ts'
import { timeText } from '../../address/time-range.ts'

export function comparisonOf({
  service,
  type,
  version,
  previousVersion,
  comparison,
  baseline,
  current,
}: Finding): CompareRoute {
  const queryOf = ({ from, to }: Finding['baseline'], own: string): Query => {
    const isByVersion = comparison === 'version'
    const filters: Filter[] = !isByVersion
      ? []
      : own === ''
        ? [{ key: 'service.version', operator: 'absent', value: '' }]
        : [{ key: 'service.version', operator: '=', value: own }]
    const ms = (nanos: string): number => Number(BigInt(nanos) / 1_000_000n)
    return { ...EMPTY_QUERY, service, type, filters, from: timeText(ms(from)), to: timeText(ms(to) + 1) }
  }
  return compareRoute(queryOf(baseline, previousVersion), queryOf(current, version))
}

/** The page of a function since the change. */
export function functionOf(finding: Finding, of: FunctionName): FunctionRoute {
  return functionRoute(of, comparisonOf(finding).after)
}

/** `12 millicores`, `0.31 cores`, `1.2 MB/s`. */
export function amountText(value: number, unit: string): string {
  if (unit === 'cores' && Math.abs(value) < 0.1) return `${Number((1000 * value).toPrecision(3))} millicores`
  return `${value.toLocaleString('en', { maximumSignificantDigits: 3 })} ${unit}`
}

export function percentText(share: number): string {
  return `${Number((100 * share).toPrecision(3))}%`
}
