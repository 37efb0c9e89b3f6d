// Slow vs. fast: compares the profiles of the slow and the fast traces of one operation. The two sets are split by duration or
// selected by hand.
import { absolute } from '../../address/time-range.ts'
import { formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { ApiError } from '@hearth/client'
import { TraceComparison } from '../../api/trace-comparison.ts'
import type { TraceSets } from '../../api/trace-comparison.ts'
import type { Query } from '../../address/query.ts'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import type { SlowRoute } from '../../address/route.ts'
import { TRACES, functionRoute } from '../../address/route.ts'
import { samplesWithFrame } from '../../address/signal-searches.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { ComparisonView } from '../../widgets/comparison-view/comparison-view.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { Icon } from '../../widgets/controls/icon.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { typeTitle } from '../../widgets/type-title.ts'
import { SettledField } from '../../widgets/controls/settled-field.tsx'
import { preferredType } from '../../api/preferred-type.ts'
import { LedgerComparisonPart } from './ledger-comparison.tsx'
import { OperationList } from './operation-list.tsx'
import { durationWithUnit, spanRequest } from './trace-request.ts'
import { TraceSearchBar } from './trace-search-bar.tsx'
import '../explore/explore.css'
import './traces.css'

const QUANTILES = [
  ['0.5', 'Slowest 50%'],
  ['0.75', 'Slowest 25%'],
  ['0.9', 'Slowest 10%'],
  ['0.95', 'Slowest 5%'],
  ['0.99', 'Slowest 1%'],
] as const

export function SlowScreen({ route }: { readonly route: SlowRoute }): JSX.Element {
  const { search, comparison, view } = route
  const now = loadTime.value
  const isPicked = route.slow.length > 0 && route.fast.length > 0
  const types = useTypes(route)
  const type = route.type === '' ? types.first : route.type
  const api = client.value
  const request = {
    ...spanRequest(absolute(search, now)),
    ...(type === undefined ? {} : { profiles: type }),
    ...(isPicked
      ? { slow: route.slow, fast: route.fast }
      : route.threshold === ''
        ? { quantile: Number(route.quantile) }
        : { threshold: durationWithUnit(route.threshold) }),
  }
  const key = JSON.stringify(request)
  const isReady = type !== undefined && (isPicked || search.name !== '')
  const source = useMemo(() => new TraceComparison(api, request, now), [api, key, now])
  const sets = useLoaded(isReady ? `${source.key}:sets` : undefined, signal => source.sets(signal))
  const change = (to: Partial<SlowRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...to }, how)
  useCommands(() => [refreshCommand('Slow vs. fast')], [])
  return (
    <div class="explore">
      <h1 class="visually-hidden">Slow vs. fast</h1>
      <TraceSearchBar
        search={search}
        onSearch={next => change({ search: next, slow: [], fast: [] })}
        now={now}
        onRefresh={refresh}
      />
      <div class="bar">
        <RouteLink class="button plain" to={{ ...TRACES, search, slow: route.slow, fast: route.fast }}>
          <Icon name="back" /> Traces
        </RouteLink>
        <strong>Slow vs. fast</strong>
        {isPicked ? (
          <>
            <span class="muted">Selected traces</span>
            <button type="button" onClick={() => change({ slow: [], fast: [] })}>
              Split by duration
            </button>
          </>
        ) : (
          <Split route={route} onChange={change} />
        )}
        <select
          aria-label="Profile type"
          value={type ?? ''}
          onChange={event => change({ type: event.currentTarget.value })}
        >
          {types.all.map(each => (
            <option key={each} value={each}>
              {typeTitle(each)}
            </option>
          ))}
        </select>
        <span class="spring" />
        {isReady && sets.value !== undefined && !sets.loading && <Sets sets={sets.value} />}
      </div>
      {isReady && !isPicked && <LedgerComparisonPart route={route} now={now} />}
      {!isReady ? (
        <ChooseOperation route={route} isLoading={types.isLoading} hasTypes={type !== undefined} />
      ) : sets.error !== undefined && !sets.loading ? (
        <NoSets error={sets.error} onRetry={sets.retry} />
      ) : (
        <ComparisonView
          source={source}
          comparison={comparison}
          onComparison={(next, how) => change({ comparison: next }, how)}
          view={view}
          onView={(next, how) => change({ view: next }, how)}
          onTraces={of => navigate({ ...TRACES, search: { ...search, samples: samplesWithFrame(of) } })}
          onFunction={of => navigate(functionRoute(of, profileQuery(search, type)))}
          isPerRequest
          empty={<p class="reading">No samples of this type</p>}
        />
      )}
    </div>
  )
}

/** The profiles of the service, without the attributes of spans. */
function profileQuery({ service, from, to }: SlowRoute['search'], type = ''): Query {
  return { ...EMPTY_QUERY, service, type, from, to }
}

interface SplitProps {
  readonly route: SlowRoute
  readonly onChange: (to: Partial<SlowRoute>) => void
}

function Split({ route, onChange }: SplitProps): JSX.Element {
  const isKnown = QUANTILES.some(([value]) => value === route.quantile)
  return (
    <>
      <select
        aria-label="Slow traces"
        value={route.threshold === '' ? route.quantile : ''}
        onChange={event => {
          if (event.currentTarget.value !== '') onChange({ quantile: event.currentTarget.value, threshold: '' })
        }}
      >
        {!isKnown && <option value={route.quantile}>Above quantile {route.quantile}</option>}
        {QUANTILES.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
        <option value="" disabled>
          By duration
        </option>
      </select>
      <SettledField
        class="duration-field"
        label="Slow if duration at least"
        placeholder="or ≥ 500ms"
        title="Traces are slow if the operation takes at least this long, for example 500ms"
        value={route.threshold}
        onValue={threshold => onChange({ threshold })}
      />
    </>
  )
}

function Sets({ sets: { threshold, slow, fast } }: { readonly sets: TraceSets }): JSX.Element {
  const count = ({ found, traceIds }: TraceSets['slow']): string =>
    found > traceIds.length
      ? `latest ${traceIds.length.toLocaleString('en')} of ${found.toLocaleString('en')}`
      : found.toLocaleString('en')
  return (
    <span role="status">
      {count(slow)} slow{threshold === undefined ? '' : ` (≥ ${formatDuration(BigInt(threshold))})`}, {count(fast)} fast
      requests <span class="muted">· baseline: fast, comparison: slow</span>
    </span>
  )
}

interface Types {
  readonly all: readonly string[]
  readonly first: string | undefined
  readonly isLoading: boolean
}

function useTypes({ search }: SlowRoute): Types {
  const { service, from, to, receivedBefore } = absolute(search, loadTime.value)
  const loaded = useLoaded(`slow-types:${service}:${from}:${to}:${loadTime.value}`, async signal => {
    const selector = selectorOf({ ...EMPTY_QUERY, service })
    return (await client.peek().query('profileTypes', { selector, from, to, receivedBefore }, { signal })).profileTypes
  })
  const all = [...new Set((loaded.value ?? []).map(({ type, unit }) => `${type}:${unit}`))].sort()
  return { all, first: preferredType(loaded.value ?? []), isLoading: loaded.loading }
}

function NoSets({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }): JSX.Element {
  if (!(error instanceof ApiError) || error.code !== 'not-found') return <Failure error={error} onRetry={onRetry} />
  return (
    <div class="reading">
      <h2>Not enough traces to compare</h2>
      <p class="muted">{error.message}. Select another operation, a longer time range or another split.</p>
    </div>
  )
}

interface ChooseOperationProps {
  readonly route: SlowRoute
  readonly isLoading: boolean
  readonly hasTypes: boolean
}

/** Lists the operations to choose from, because durations are compared within one operation. */
function ChooseOperation({ route, isLoading, hasTypes }: ChooseOperationProps): JSX.Element {
  const { search } = route
  if (!hasTypes && !isLoading) {
    return (
      <div class="reading">
        <h2>No profiles in this range</h2>
        <p class="muted">Slow vs. fast compares the profile samples of traces.</p>
      </div>
    )
  }
  return (
    <OperationList
      search={search}
      text="Select an operation to compare its slow and fast traces"
      to={(service, name) => ({ ...route, search: { ...search, service, name } })}
    />
  )
}
