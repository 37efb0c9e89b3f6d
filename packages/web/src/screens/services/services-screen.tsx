// The Services screen, where users start: every service with its CPU time, top function, changes and requests.
import type { JSX } from 'preact'
import { EMPTY_QUERY } from '../../address/query.ts'
import type { ServiceSort, ServicesRoute } from '../../address/route.ts'
import { EXPLORE } from '../../address/route.ts'
import { absolute, lengthOf, timeText } from '../../address/time-range.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { counted } from '../../widgets/counted.ts'
import { Failure } from '../../widgets/failure.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { NormaliseSelect } from '../../widgets/query-bar/normalise-select.tsx'
import { TimeRangePicker } from '../../widgets/query-bar/time-range-picker.tsx'
import { DemoOffer } from '../../widgets/demo-data.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { SendData } from '../../widgets/send-data/send-data.tsx'
import { OpenProblems, useOpenProblems } from './open-problems.tsx'
import { SavedViewList } from './saved-view-list.tsx'
import { ServiceTableRow } from './service-table-row.tsx'
import { serviceTitle, shownServices, totalsByType } from './service-rows.ts'
import '../../widgets/query-bar/query-bar.css'
import './services.css'

const COLUMNS: readonly (readonly [sort: ServiceSort | undefined, title: string, className: string])[] = [
  ['name', 'Service', ''],
  ['cpu', 'CPU', 'service-cpu'],
  [undefined, 'Top function', 'service-top'],
  ['day', 'vs. yesterday', 'number'],
  ['version', 'vs. previous version', 'number'],
  ['requests', 'Requests', 'number'],
  ['p95', 'p95', 'number'],
]

export function ServicesScreen({ route }: { readonly route: ServicesRoute }): JSX.Element {
  const { find, sort, reverse, per } = route
  const now = loadTime.value
  const { from, to, receivedBefore } = absolute({ from: route.from, to: route.to }, now)
  const loaded = useLoaded(`overview:${from}:${to}:${now}`, async signal => {
    const response = await client.peek().query('overview', { from, to, receivedBefore }, { signal })
    const lengthMs = lengthOf({ from, to }, now) ?? 0
    return { ...response, steps: Math.ceil((lengthMs * 1e6) / Number(response.step)) }
  })
  const problems = useOpenProblems(now)
  useCommands(() => [refreshCommand('Services')], [])
  const change = (next: Partial<ServicesRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...next }, how)
  const { value } = loaded
  const rows = shownServices(value?.services ?? [], route)
  const totals = totalsByType(value?.services ?? [])
  // The server profiles itself from the start. While the next value loads, the screen stays, and with it the chosen source and its token.
  const isNew =
    value !== undefined && [...value.services, ...value.older].every(({ service }) => service === OWN_SERVICE)
  return (
    <div class="explore">
      <h1 class="visually-hidden">Services</h1>
      <div class="query-bar">
        <input
          type="search"
          aria-label="Search services"
          placeholder="Search services"
          spellcheck={false}
          value={find}
          onInput={event => change({ find: event.currentTarget.value }, 'replace')}
        />
        {value !== undefined && <span class="muted">{counted(rows.length, 'service')}</span>}
        <OpenProblems problems={problems} />
        <span class="spring" />
        <NormaliseSelect per={per} onPer={next => change({ per: next })} />
        <TimeRangePicker
          name=""
          range={{ from: route.from, to: route.to }}
          onRange={range => change(range)}
          onRefresh={refresh}
        />
      </div>
      <SavedViewList />
      <div class={loaded.slow ? 'services-body scrolls stale' : 'services-body scrolls'}>
        <Progress of={loaded} what="Loading services" />
        {loaded.error !== undefined && !loaded.loading && value === undefined ? (
          <Failure error={loaded.error} onRetry={loaded.retry} />
        ) : isNew ? (
          <div class="reading empty">
            <h1>Send the first data</h1>
            <DemoOffer />
            <p>The server has not received any data yet, except its own profiles. Send some in one of these ways:</p>
            <SendData />
            {value.services.length > 0 && (
              <p>
                <RouteLink to={{ ...EXPLORE, query: { ...EMPTY_QUERY, service: OWN_SERVICE } }}>
                  The server's own profile
                </RouteLink>
              </p>
            )}
          </div>
        ) : (
          value !== undefined && (
            <>
              {value.services.length > 0 && (
                <table class="plain-table services-table">
                  <thead>
                    <tr>
                      {COLUMNS.map(([key, title, className]) => (
                        <th key={title} scope="col" class={className} aria-sort={ariaSort(route, key)}>
                          {key === undefined ? (
                            title
                          ) : (
                            <button
                              type="button"
                              class="plain"
                              onClick={() => change({ sort: key, reverse: key === sort && !reverse })}
                            >
                              {title}
                              {key === sort && <Icon name={reverse ? 'up' : 'down'} size={12} />}
                            </button>
                          )}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map(row => (
                      <ServiceTableRow
                        key={row.service}
                        row={row}
                        route={route}
                        steps={value.steps}
                        total={totals.get(row.value?.type ?? '') ?? 0}
                        problems={problems}
                        now={now}
                      />
                    ))}
                  </tbody>
                </table>
              )}
              {rows.length === 0 && value.services.length > 0 && <p class="reading">No results</p>}
              {value.services.length === 0 && <p class="reading">No data in this range</p>}
              {value.older.length > 0 && (
                <section class="services-older" aria-label="Services without data in this range">
                  <h2>No data in this range</h2>
                  <ul>
                    {value.older.map(({ last, ...row }) => (
                      <li key={row.service}>
                        <span>{serviceTitle(row)}</span>{' '}
                        <span class="muted">last profile {formatMoment(millisOf(last))}</span>{' '}
                        <button type="button" onClick={() => goToLast(row.service, millisOf(last))}>
                          Go there
                        </button>
                      </li>
                    ))}
                  </ul>
                </section>
              )}
              <details class="services-add">
                <summary>Add data</summary>
                <SendData />
              </details>
            </>
          )
        )}
      </div>
    </div>
  )
}

const HOUR = 3_600_000
/** The service under which the server profiles itself. */
const OWN_SERVICE = 'hearth'

/** Opens the service in the hour of its last profile. */
function goToLast(service: string, last: number): void {
  const range = { from: timeText(last - HOUR), to: timeText(last + 60_000) }
  navigate({ ...EXPLORE, query: { ...EMPTY_QUERY, ...range, service } })
}

function ariaSort(
  { sort, reverse }: ServicesRoute,
  key: ServiceSort | undefined,
): 'ascending' | 'descending' | undefined {
  if (key === undefined || key !== sort) return undefined
  return (key === 'name') !== reverse ? 'ascending' : 'descending'
}
