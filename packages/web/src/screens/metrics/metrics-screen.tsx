// The Metrics screen: the list of metrics, and the selected one over time with its exemplars and a profile total.
import type { MetricRow } from '@hearth/client'
import type { JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { MetricSearch, MetricView } from '../../address/metric-search.ts'
import { EMPTY_METRIC_SEARCH, NO_METRIC } from '../../address/metric-search.ts'
import type { MetricsRoute } from '../../address/route.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLatest } from '../../widgets/use-latest.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { absolute, timeText } from '../../address/time-range.ts'
import { EmptySignal } from '../../widgets/empty-signal.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { millisOf } from '../../widgets/format-time.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { firstMetric } from './first-metric.ts'
import { MetricList, isShown, matchingMetrics } from './metric-list.tsx'
import { MetricPanel } from './metric-panel.tsx'
import { metricsRequest } from './metric-request.ts'
import { MetricSearchBar } from './metric-search-bar.tsx'
import '../explore/explore.css'
import './metrics.css'

const LISTED = 5000
const HOUR = 3_600_000

export function MetricsScreen({ route }: { readonly route: MetricsRoute }): JSX.Element {
  const { search, view } = route
  const now = loadTime.value
  const request = metricsRequest(absolute(search, now))
  const listed = useLoaded(`metrics:${JSON.stringify(request)}:${now}`, signal =>
    client.peek().query('metrics', { ...request, limit: LISTED }, { signal }),
  )
  useCommands(() => [refreshCommand('Metrics')], [])
  const setSearch = (next: MetricSearch, how?: 'push' | 'replace'): void => navigate({ ...route, search: next }, how)
  const setView = (next: MetricView, how?: 'push' | 'replace'): void => navigate({ ...route, view: next }, how)
  const all = listed.value?.metrics ?? []
  const metrics = matchingMetrics(all, search)
  const shown = all.find(each => isShown(each, view))
  useLayoutEffect(() => {
    // Selects the first metric, without a history entry of its own.
    const first = firstMetric(metrics)
    if (view.name === '' && !listed.loading && first !== undefined) setView(viewOf(first, view), 'replace')
  }, [view.name, listed.loading, metrics[0]?.name])
  return (
    <div class="explore">
      <h1 class="visually-hidden">Metrics</h1>
      <MetricSearchBar search={search} onSearch={setSearch} metrics={all} now={now} onRefresh={refresh} />
      {listed.error !== undefined && !listed.loading ? (
        <Failure error={listed.error} onRetry={listed.retry} />
      ) : listed.value !== undefined && all.length === 0 && !listed.loading ? (
        <EmptyMetrics search={search} onSearch={setSearch} />
      ) : (
        <div class={listed.slow ? 'metrics-body stale' : 'metrics-body'}>
          <Progress of={listed} what="Loading metrics" />
          <MetricList
            metrics={metrics}
            all={all.length}
            hasMore={listed.value?.next !== undefined}
            search={search}
            onSearch={setSearch}
            view={view}
            onChoose={metric => setView(viewOf(metric, view))}
          />
          {view.name === '' ? (
            <p class="reading muted">Select a metric</p>
          ) : (
            <MetricPanel search={search} onSearch={setSearch} view={view} onView={setView} metric={shown} now={now} />
          )}
        </div>
      )}
    </div>
  )
}

function viewOf({ name, kind, unit, temporality }: MetricRow, { beside }: MetricView): MetricView {
  return { ...NO_METRIC, name, ofKind: kind, ofUnit: unit, ofTemporality: temporality, beside }
}

interface EmptyMetricsProps {
  readonly search: MetricSearch
  readonly onSearch: (search: MetricSearch) => void
}

function EmptyMetrics({ search, onSearch }: EmptyMetricsProps): JSX.Element {
  const loaded = useLatest('metrics', search.service, async (service, signal) => {
    const request = { from: '0', to: 'now+1d', ...(service === '' ? {} : { service }) }
    const { metrics } = await client.peek().query('metrics', request, { signal })
    return metrics.map(metric => millisOf(metric.last))
  })
  return (
    <EmptySignal
      what="metrics"
      loaded={loaded}
      isFiltered={search.service !== '' || search.filters.length > 0}
      onClear={() => onSearch({ ...EMPTY_METRIC_SEARCH, from: search.from, to: search.to })}
      onLatest={({ service, time }) =>
        onSearch({ ...EMPTY_METRIC_SEARCH, service, from: timeText(time - HOUR), to: timeText(time + 60_000) })
      }
    />
  )
}
