// The page of one function: over time, by version and label, callers and callees, lines, and the traces it appears in.
import type { SeriesResponse } from '@hearth/client'
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { NormalisedSource } from '../../api/normalised-source.ts'
import { ServerSource } from '../../api/server-source.ts'
import { unitPer } from '../../address/divisor.ts'
import type { Query } from '../../address/query.ts'
import { selectorOf, snapshotsOf } from '../../address/query.ts'
import type { FunctionRoute } from '../../address/route.ts'
import { EXPLORE, FUNCTION_PARTS } from '../../address/route.ts'
import { absolute, resolveTime, profileStepFor, timeText } from '../../address/time-range.ts'
import { DEFAULT_VIEW } from '../../address/view.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useDivisors } from '../../state/use-divisors.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { SeriesChart } from '../../widgets/charts/series-chart.tsx'
import { stepDivisors } from '../../widgets/charts/step-divisors.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Tabs } from '../../widgets/controls/tabs.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { NormaliseSelect } from '../../widgets/query-bar/normalise-select.tsx'
import { QueryBar } from '../../widgets/query-bar/query-bar.tsx'
import { useFirstType } from '../../widgets/query-bar/use-first-type.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { sumsOf, withFunction } from './function-data.ts'
import { FunctionLabels } from './function-labels.tsx'
import { FunctionLines } from './function-lines.tsx'
import { FunctionTraces } from './function-traces.tsx'
import { RelatedFunctions } from './related-functions.tsx'
import '../explore/explore.css'
import '../services/services.css'
import './function.css'

const PART_TITLES: Readonly<Record<FunctionRoute['part'], string>> = {
  callers: 'Callers',
  callees: 'Callees',
  lines: 'Lines',
  traces: 'Traces',
  labels: 'Labels',
  versions: 'Versions',
}
const STEPS = 60

export function FunctionScreen({ route }: { readonly route: FunctionRoute }): JSX.Element {
  const { query, name, file, part, per } = route
  const now = loadTime.value
  const api = client.value
  const of = { name, file }
  const inFunction = withFunction(query, of)
  const known = useDivisors(query, per, now)
  const divisors = known ?? {}
  const plain = useMemo(() => new ServerSource(api, query, now), [api, selectorOf(query), query.from, query.to, now])
  const source = useMemo(() => NormalisedSource.of(plain, per, divisors), [plain, per, JSON.stringify(divisors)])
  const key = known === undefined ? undefined : `${source.key}:function:${name}\n${file}`
  const sandwich = useLoaded(key, signal => source.sandwich(of, signal))
  const series = useFunctionSeries(inFunction, now)
  const change = (next: Partial<FunctionRoute>): void => navigate({ ...route, ...next })
  const setQuery = (next: Query): void => change({ query: next })
  useFirstType(query, type => navigate({ ...route, query: { ...query, type } }, 'replace'))
  useCommands(() => [refreshCommand('Function')], [])
  const sums = sandwich.value && sumsOf(sandwich.value)
  const unit = sandwich.value?.callees.unit ?? ''
  const total = series.value === undefined ? 0 : sumOf(series.value.response)
  return (
    <div class="explore">
      <QueryBar query={query} onQuery={setQuery} now={now} onRefresh={refresh} />
      <div class="function-head">
        <h1 class="code" title={name}>
          {name}
        </h1>
        <span class="muted code function-file" title={file}>
          {file}
        </span>
        <span class="spring" />
        {sums !== undefined && (
          <span>
            Self <strong>{formatValue(sums.self, unit)}</strong> {formatShare(sums.self, Number(sums.all))} · Total{' '}
            <strong>{formatValue(sums.total, unit)}</strong> {formatShare(sums.total, Number(sums.all))}
          </span>
        )}
        <NormaliseSelect per={per} onPer={next => change({ per: next })} />
        <RouteLink
          class="button"
          to={{ ...EXPLORE, query, per, view: { ...DEFAULT_VIEW, show: 'sandwich', frame: name, frameFile: file } }}
        >
          Open in Explore
        </RouteLink>
      </div>
      <div class={series.slow ? 'explore-plot stale' : 'explore-plot'}>
        <Progress of={series} what="Loading totals" />
        {series.value !== undefined && series.value.response.groups.length > 0 && (
          <SeriesChart
            response={series.value.response}
            unit={unitPer(series.value.response.unit, per, stepDivisors(series.value.response, divisors, total))}
            from={series.value.from}
            to={series.value.to}
            label={`${name} over time`}
            onRange={(start, end) => setQuery({ ...query, from: timeText(start), to: timeText(end) })}
            onProfile={profile => navigate({ screen: 'profile', profile, view: DEFAULT_VIEW })}
          />
        )}
      </div>
      <div class="bar">
        <Tabs
          label="Parts"
          options={FUNCTION_PARTS.map(value => ({ value, title: PART_TITLES[value] }))}
          value={part}
          onChange={next => change({ part: next })}
        />
      </div>
      <div class="services-body scrolls" tabIndex={0} role="region" aria-label={PART_TITLES[part]}>
        <Progress of={sandwich} what="Loading the function" />
        {sandwich.error !== undefined && !sandwich.loading ? (
          <Failure error={sandwich.error} onRetry={sandwich.retry} />
        ) : part === 'traces' ? (
          <FunctionTraces query={query} of={of} now={now} />
        ) : part === 'labels' || part === 'versions' ? (
          <FunctionLabels
            query={query}
            of={of}
            attribute={part === 'versions' ? 'service.version' : route.key}
            onAttribute={part === 'versions' ? undefined : key => change({ key })}
            {...{ per, divisors, now }}
          />
        ) : sandwich.value === undefined || known === undefined ? (
          <p class="reading muted">{sandwich.loading ? '' : 'The function is not in these profiles.'}</p>
        ) : part === 'lines' ? (
          <FunctionLines source={source} of={of} />
        ) : (
          <RelatedFunctions
            tree={part === 'callers' ? sandwich.value.callers : sandwich.value.callees}
            what={PART_TITLES[part]}
            route={route}
          />
        )}
      </div>
    </div>
  )
}

function useFunctionSeries(query: Query, now: number) {
  const { from, to, receivedBefore } = absolute(query, now)
  const selector = selectorOf(query)
  return useLoaded(
    query.type === '' ? undefined : `function-series:${selector}:${from}:${to}:${query.snapshots}:${now}`,
    async signal => {
      const range = { from: resolveTime(from, now) ?? now, to: resolveTime(to, now) ?? now }
      const step = profileStepFor(range.to - range.from, STEPS)
      const request = { selector, ...snapshotsOf(query), times: true, from, to, receivedBefore, step, exemplars: 4 }
      return { response: await client.peek().query('series', request, { signal }), ...range }
    },
  )
}

function sumOf({ groups }: SeriesResponse): number {
  return groups.flatMap(({ points }) => points).reduce((sum, { value }) => sum + value, 0)
}
