// One service of the Services screen. A click on it opens Explore.
import { formatDuration, formatShare } from '@hearth/profile'
import type { JSX } from 'preact'
import type { Query } from '../../address/query.ts'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import type { Route, ServicesRoute } from '../../address/route.ts'
import { compareRoute } from '../../address/compare-route.ts'
import { EXPLORE, TRACES, functionRoute } from '../../address/route.ts'
import { EMPTY_TRACE_SEARCH } from '../../address/signal-searches.ts'
import { absolute, lengthOf, shifted } from '../../address/time-range.ts'
import { client } from '../../state/session.ts'
import { Turns } from '../../state/take-turns.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Sparkline } from '../../widgets/charts/sparkline.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { typeTitle } from '../../widgets/type-title.ts'
import type { Problems } from './open-problems.tsx'
import { OpenProblems } from './open-problems.tsx'
import type { ServiceRow } from './service-rows.ts'
import { changeText, requestRate, serviceTitle, serviceValue, stepSums } from './service-rows.ts'

export interface ServiceTableRowProps {
  readonly row: ServiceRow
  readonly route: ServicesRoute
  /** The sum of the same type over all services. */
  readonly total: number
  /** The number of steps of the range. */
  readonly steps: number
  readonly problems: Problems
  readonly now: number
}

/** Top functions read stacks, so only a few are requested at a time. */
const turns = new Turns(2)
const DAY = 86_400_000

export function ServiceTableRow({ row, route, total, steps, problems, now }: ServiceTableRowProps): JSX.Element {
  const { service, types, value, requests, version } = row
  const { from, to, per } = route
  const query: Query = { ...EMPTY_QUERY, service, type: value?.type ?? '', from, to }
  const explore = { ...EXPLORE, query, per: per === 'second' ? ('total' as const) : per }
  // The time that profiles cover, as for CPU time. A service may have started within the range.
  const seconds = value?.seconds || (lengthOf({ from, to }, now) ?? 0) / 1000
  return (
    <tr>
      <th scope="row">
        <RouteLink to={explore} title={`${types.map(typeTitle).join(', ')}`}>
          {serviceTitle(row)}
        </RouteLink>
        <OpenProblems problems={problems} service={service} />
        <span class="muted service-types">
          {types.slice(0, 3).map(typeTitle).join(', ')}
          {types.length > 3 ? ` +${types.length - 3}` : ''}
        </span>
      </th>
      <td class="service-cpu">
        {value !== undefined && (
          <span class="service-value">
            <Sparkline values={stepSums(row, steps)} label={`${typeTitle(value.type)} over time`} />
            <span title={typeTitle(value.type)}>{serviceValue(row, per, total)}</span>
          </span>
        )}
      </td>
      <td class="service-top">{value !== undefined && <TopFunction query={query} route={route} now={now} />}</td>
      <td class="number" data-title="vs. yesterday">
        {row.sinceYesterday !== undefined ? (
          <Change change={row.sinceYesterday} to={dayBefore(query, now)} />
        ) : (
          <span class="muted" title="No profiles in the same range yesterday">
            new
          </span>
        )}
      </td>
      <td class="number" data-title="vs. version">
        {version?.change === undefined ? (
          <span class="muted">–</span>
        ) : (
          <Change
            change={version.change}
            to={versions(query, version)}
            what={`${version.previous} → ${version.current}`}
          />
        )}
      </td>
      <td class="number" data-title="Requests">
        {requests === undefined ? (
          <span class="muted">–</span>
        ) : (
          <RouteLink
            to={{ ...TRACES, search: { ...EMPTY_TRACE_SEARCH, service, from, to } }}
            title={`${requests.count.toLocaleString('en')} requests, ${requests.errors.toLocaleString('en')} with errors`}
          >
            {requestRate(requests.count, seconds)}
          </RouteLink>
        )}
      </td>
      <td class="number" data-title="p95">
        {requests === undefined ? (
          <span class="muted">–</span>
        ) : (
          <RouteLink
            to={{ ...TRACES, sort: 'duration', search: { ...EMPTY_TRACE_SEARCH, service, from, to } }}
            title={`p50 ${formatDuration(requests.p50)}. Opens the slowest traces`}
          >
            {formatDuration(requests.p95)}
          </RouteLink>
        )}
      </td>
    </tr>
  )
}

interface ChangeProps {
  readonly change: NonNullable<ServiceRow['sinceYesterday']>
  readonly to: Route
  readonly what?: string
}

function Change({ change, to, what }: ChangeProps): JSX.Element {
  const { text, isSignificant, isMore, title } = changeText(change)
  const tone = isSignificant ? (isMore ? 'service-more' : 'service-less') : 'muted'
  return (
    <RouteLink to={to} class={tone} title={what === undefined ? title : `${what}. ${title}`}>
      {isSignificant ? (isMore ? '▲ ' : '▼ ') : ''}
      {text}
    </RouteLink>
  )
}

function dayBefore(query: Query, now: number): Route {
  const before = { ...query, ...shifted(query, DAY, now) }
  return compareRoute(before, query)
}

/** Both versions over a week, because the previous one may have ended before the range. */
function versions(query: Query, { current, previous }: NonNullable<ServiceRow['version']>): Route {
  const of = (value: string): Query => ({
    ...query,
    from: 'now-1w',
    to: 'now',
    filters: [{ key: 'resource:service.version', operator: '=', value }],
  })
  return compareRoute(of(previous), of(current))
}

interface TopFunctionProps {
  readonly query: Query
  readonly route: ServicesRoute
  readonly now: number
}

function TopFunction({ query, route, now }: TopFunctionProps): JSX.Element {
  const { from, to, receivedBefore } = absolute(query, now)
  const selector = selectorOf(query)
  const loaded = useLoaded(`top-function:${selector}:${from}:${to}:${now}`, signal =>
    turns.run(signal, async () => {
      const request = { selector, from, to, receivedBefore, times: true, limit: 1 }
      const { rows, sum } = await client.peek().query('top', request, { signal })
      return rows.map(({ frame, self }) => ({ frame, share: formatShare(BigInt(self), BigInt(sum)) })).at(0)
    }),
  )
  const top = loaded.value
  if (top === undefined) return <span class="muted">{loaded.error === undefined ? '' : 'not available'}</span>
  const { name, file = '' } = top.frame
  return (
    <span class="service-function">
      <RouteLink class="code" to={functionRoute({ name, file }, query, route.per)} title={`${name} ${file}`}>
        {name}
      </RouteLink>{' '}
      <span class="muted">{top.share}</span>
    </span>
  )
}
