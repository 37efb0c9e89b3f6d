// A link to the span, log record or data point that a trigger matched.
import type { FiredItem } from '@hearth/client'
import type { JSX } from 'preact'
import { EMPTY_METRIC_SEARCH } from '../../../address/metric-search.ts'
import { EMPTY_QUERY } from '../../../address/query.ts'
import type { Route } from '../../../address/route.ts'
import { EXPLORE, LOGS, METRICS, TRACE } from '../../../address/route.ts'
import { EMPTY_LOG_SEARCH } from '../../../address/signal-searches.ts'
import { timeText } from '../../../address/time-range.ts'
import { millisOf } from '../../../widgets/format-time.ts'
import { RouteLink } from '../../../widgets/route-link.tsx'

export interface ItemLinkProps {
  readonly item: FiredItem
  readonly service: string
}

const AROUND_MS = 1000
const MINUTE_MS = 60_000

export function ItemLink({ item, service }: ItemLinkProps): JSX.Element {
  return (
    <RouteLink to={routeTo(item, service)} title={item.description}>
      {item.description}
    </RouteLink>
  )
}

function routeTo({ kind, description, time, traceId, spanId = '' }: FiredItem, service: string): Route {
  const at = millisOf(time)
  const around = (ms: number) => ({ from: timeText(at - ms), to: timeText(at + ms) })
  if (kind === 'log') return { ...LOGS, search: { ...EMPTY_LOG_SEARCH, service, ...around(AROUND_MS) } }
  if (kind === 'metric') {
    // The description has the form `metric NAME = VALUE`.
    const find = /^metric (\S+) = /.exec(description)?.[1] ?? ''
    return { ...METRICS, search: { ...EMPTY_METRIC_SEARCH, service, find, ...around(MINUTE_MS) } }
  }
  if (traceId !== undefined) return { ...TRACE, traceId, spanId }
  return { ...EXPLORE, query: { ...EMPTY_QUERY, service, ...around(MINUTE_MS) } }
}
