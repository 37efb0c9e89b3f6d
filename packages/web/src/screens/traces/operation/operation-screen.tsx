// The time ledger of an operation: the average request, percentiles, over time, by attribute, and which operations delay it.
import type { LedgerResponse } from '@hearth/client'
import { ENTRY_TITLES, formatDuration, formatShare } from '@hearth/profile'
import type { JSX } from 'preact'
import type { OperationRoute, OperationTab } from '../../../address/operation-route.ts'
import { EMPTY_QUERY } from '../../../address/query.ts'
import type { FunctionRoute } from '../../../address/route.ts'
import { SLOW, TRACE, TRACES, functionRoute } from '../../../address/route.ts'
import { absolute, resolveTime } from '../../../address/time-range.ts'
import { useCommands } from '../../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../../state/load-time.ts'
import { navigate } from '../../../state/navigation.ts'
import { client } from '../../../state/session.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { SettledField } from '../../../widgets/controls/settled-field.tsx'
import { Tabs } from '../../../widgets/controls/tabs.tsx'
import { counted } from '../../../widgets/counted.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { LedgerArea, nanosOf } from '../../../widgets/ledger/ledger-area.tsx'
import { LedgerMark } from '../../../widgets/ledger/ledger-bar.tsx'
import { LedgerLegend, LedgerTable } from '../../../widgets/ledger/ledger-table.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { OperationList } from '../operation-list.tsx'
import { spanRequest } from '../trace-request.ts'
import { TraceSearchBar } from '../trace-search-bar.tsx'
import { InterferenceTab } from './interference-tab.tsx'
import '../../explore/explore.css'
import '../traces.css'

const TABS: readonly { readonly value: OperationTab; readonly title: string }[] = [
  { value: 'overview', title: 'Overview' },
  { value: 'time', title: 'Over time' },
  { value: 'attribute', title: 'By attribute' },
  { value: 'interference', title: 'Interference' },
]

export function OperationScreen({ route }: { readonly route: OperationRoute }): JSX.Element {
  const { search, tab } = route
  const now = loadTime.value
  const change = (to: Partial<OperationRoute>): void => navigate({ ...route, ...to })
  useCommands(() => [refreshCommand('Time ledger')], [])
  return (
    <div class="explore">
      <h1 class="visually-hidden">Time ledger</h1>
      <TraceSearchBar search={search} onSearch={next => change({ search: next })} now={now} onRefresh={refresh} />
      <div class="bar">
        <RouteLink class="button plain" to={{ ...TRACES, search }}>
          <Icon name="back" /> Traces
        </RouteLink>
        <strong>{search.name === '' ? 'Time ledger' : search.name}</strong>
        <Tabs label="Show" options={TABS} value={tab} onChange={value => change({ tab: value })} />
        <span class="spring" />
        <RouteLink class="button" to={{ ...SLOW, search }}>
          Slow vs. fast
        </RouteLink>
      </div>
      {tab === 'interference' ? (
        <InterferenceTab search={search} now={now} />
      ) : search.name === '' ? (
        <OperationList
          search={search}
          text="Select an operation to see where the time of its requests goes"
          to={(service, name) => ({ ...route, search: { ...search, service, name } })}
        />
      ) : (
        <Ledger route={route} now={now} onChange={change} />
      )}
    </div>
  )
}

interface LedgerProps {
  readonly route: OperationRoute
  readonly now: number
  readonly onChange: (to: Partial<OperationRoute>) => void
}

function Ledger({ route, now, onChange }: LedgerProps): JSX.Element {
  const { search, tab, by } = route
  const { name, ...rest } = spanRequest(absolute(search, now))
  const request = { ...rest, operation: name ?? '', ...(tab === 'attribute' ? { by } : {}) }
  const loaded = useLoaded(`ledger:${JSON.stringify(request)}:${now}`, signal =>
    client.peek().query('ledger', request, { signal }),
  )
  const { value } = loaded
  const range = { from: resolveTime(search.from, now) ?? now, to: resolveTime(search.to, now) ?? now }
  return (
    <div
      class={loaded.slow ? 'operation-body scrolls stale' : 'operation-body scrolls'}
      tabIndex={0}
      role="region"
      aria-label="Ledger"
    >
      <Progress of={loaded} what="Computing ledgers" />
      {loaded.error !== undefined && !loaded.loading ? (
        <Failure error={loaded.error} onRetry={loaded.retry} />
      ) : value === undefined ? (
        <></>
      ) : (
        <>
          <p class="ledger-sentence">{value.sentence}</p>
          <p class="muted">
            {value.found > value.requests
              ? `A random sample of ${counted(value.requests, 'request')} of ${value.found.toLocaleString('en')}`
              : counted(value.requests, 'request')}
          </p>
          {tab === 'overview' && <Overview ledger={value} search={search} />}
          {tab === 'time' && (
            <LedgerArea
              {...range}
              points={value.overTime.map(({ from, requests, entries }) => ({
                from: Number(BigInt(from) / 1_000_000n),
                requests,
                nanos: nanosOf(entries),
              }))}
            />
          )}
          {tab === 'attribute' && <ByAttribute ledger={value} by={by} onBy={next => onChange({ by: next })} />}
          <LedgerLegend />
        </>
      )}
    </div>
  )
}

interface OverviewProps {
  readonly ledger: LedgerResponse
  readonly search: OperationRoute['search']
}

function Overview({ ledger, search: { service, from, to } }: OverviewProps): JSX.Element {
  const functionLink: FunctionLink = (name, of) =>
    functionRoute({ name, file: '' }, { ...EMPTY_QUERY, service: of ?? service, from, to })
  const duration = BigInt(ledger.durationNano)
  return (
    <>
      <LedgerTable title="Requests" rows={[{ ...ledger, name: 'average' }, ...ledger.percentiles]} />
      <h2>Average per request, with the spans below it in the process</h2>
      <table class="ledger-table ledger-averages">
        <tbody>
          {ledger.entries.map(({ kind, nanos, error, details }) => (
            <tr key={kind}>
              <td>
                <LedgerMark kind={kind} /> {ENTRY_TITLES[kind]}
              </td>
              <td class="number">{formatDuration(BigInt(nanos))}</td>
              <td class="muted">± {formatDuration(BigInt(error))}</td>
              <td class="number">{formatShare(BigInt(nanos), duration)}</td>
              <td class="ledger-cell">
                {details.slice(0, 3).map(detail => (
                  <Detail key={`${detail.what} ${detail.name}`} detail={detail} functionLink={functionLink} />
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

type FunctionLink = (name: string, service: string | undefined) => FunctionRoute

interface DetailProps {
  readonly detail: LedgerResponse['entries'][number]['details'][number]
  readonly functionLink: FunctionLink
}

/** Functions lead to their page, and other names to the request with most of their time. */
function Detail({ detail: { what, name, mostly, nanos, spans }, functionLink }: DetailProps): JSX.Element {
  const [most] = spans
  // Without a function, the name is a text such as "unknown function".
  const isFunction = what === 'function' && mostly === name
  const service = spans.at(0)?.service
  const request = most && { ...TRACE, traceId: most.traceId, spanId: most.spanId }
  const time = formatDuration(BigInt(nanos))
  return (
    <span class="ledger-detail">
      {isFunction ? (
        <RouteLink class="code" to={functionLink(name, service)}>
          {name}
        </RouteLink>
      ) : request === undefined ? (
        name
      ) : (
        <RouteLink to={request}>{name}</RouteLink>
      )}{' '}
      <span class="muted">
        {isFunction && request !== undefined ? (
          <RouteLink to={request} title="The request with most of this time">
            {time}
          </RouteLink>
        ) : (
          time
        )}
        {mostly !== '' && mostly !== name && (
          <>
            , mostly in{' '}
            <RouteLink class="code" to={functionLink(mostly, service)}>
              {mostly}
            </RouteLink>
          </>
        )}
      </span>{' '}
    </span>
  )
}

interface ByAttributeProps {
  readonly ledger: LedgerResponse
  readonly by: string
  readonly onBy: (by: string) => void
}

const ATTRIBUTES = [
  ['service.version', 'Version'],
  ['host.name', 'Host'],
  ['service.instance.id', 'Instance'],
] as const

function ByAttribute({ ledger, by, onBy }: ByAttributeProps): JSX.Element {
  return (
    <>
      <div class="bar">
        {ATTRIBUTES.map(([key, title]) => (
          <button key={key} type="button" aria-pressed={key === by} onClick={() => onBy(key)}>
            {title}
          </button>
        ))}
        <SettledField
          class="attribute-field"
          label="Attribute"
          placeholder="Attribute"
          title="An attribute of the span or of its resource, such as http.route"
          value={by}
          onValue={next => onBy(next)}
        />
      </div>
      {ledger.groups.length === 0 ? (
        <p class="muted">No request has the attribute {by}.</p>
      ) : (
        <LedgerTable title={by} rows={ledger.groups} />
      )}
      {ledger.hiddenGroups > 0 && <p class="muted">{counted(ledger.hiddenGroups, 'more value')}</p>}
    </>
  )
}
