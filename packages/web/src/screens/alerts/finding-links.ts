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
  environment,
  type,
  version,
  previousVersion,
  comparison,
  baseline,
  current,
}: Finding): CompareRoute {
  const queryOf = ({ from, to }: Finding['baseline'], own: string): Query => {
    const filters: Filter[] = environment === undefined ? [] : [{ ...environment, operator: '=' }]
    if (comparison === 'version')
      filters.push({ key: 'service.version', operator: own === '' ? 'absent' : '=', value: own })
    const ms = (nanos: string): number => Number(BigInt(nanos) / 1_000_000n)
    return { ...EMPTY_QUERY, service, type, filters, from: timeText(ms(from)), to: timeText(ms(to) + 1) }
  }
  return compareRoute(queryOf(baseline, previousVersion), queryOf(current, version))
}

/** The page of a function since the change. */
export function functionOf(finding: Finding, of: FunctionName): FunctionRoute {
  return functionRoute(of, comparisonOf(finding).after)
}

export function percentText(share: number): string {
  return `${Number((100 * share).toPrecision(3))}%`
}
