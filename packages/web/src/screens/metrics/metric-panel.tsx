// A metric over time: its aggregation and grouping, its chart and exemplars, and profiles of the same time.
import type { MetricRow, MetricSeriesResponse } from '@hearth/client'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { MetricSearch, MetricShow, MetricView } from '../../address/metric-search.ts'
import { TRACE } from '../../address/route.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { absolute, resolveTime, stepFor, timeText } from '../../address/time-range.ts'
import { Combo } from '../../widgets/controls/combo.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { signalCompletion } from '../../widgets/query-bar/attribute-completion.ts'
import { LineChart } from '../../widgets/charts/series-chart.tsx'
import { bucketGrid } from './bucket-grid.ts'
import { BucketMap } from './bucket-map.tsx'
import { ExemplarList } from './exemplar-list.tsx'
import { labelsText } from '../../widgets/charts/series-columns.ts'
import { exemplarAt, metricColumns } from './metric-columns.ts'
import { metricSeriesRequest, showsOf } from './metric-request.ts'
import { KIND_TITLES } from './metric-search-bar.tsx'
import { unitSymbol } from '../../widgets/type-title.ts'
import { ProfileBeside } from './profile-beside.tsx'

export interface MetricPanelProps {
  readonly search: MetricSearch
  readonly onSearch: (search: MetricSearch) => void
  readonly view: MetricView
  readonly onView: (view: MetricView) => void
  /** Undefined if the metric is not in the list. */
  readonly metric: MetricRow | undefined
  readonly now: number
}

const MAX_STEPS = 60
const NONE = '\u0000none'

const SHOW_TITLES: Readonly<Record<MetricShow, string>> = {
  quantiles: 'Quantiles',
  buckets: 'Buckets',
  rate: 'Rate',
  increase: 'Increase',
  average: 'Average',
  last: 'Last',
  min: 'Min',
  max: 'Max',
  count: 'Count',
}

export function MetricPanel({ search, onSearch, view, onView, metric, now }: MetricPanelProps): JSX.Element {
  const loadedSearch = absolute(search, now)
  const { from, to } = loadedSearch
  const request = metricSeriesRequest(loadedSearch, view, '')
  const loaded = useLoaded(`metric:${JSON.stringify(request)}:${now}`, async signal => {
    const range = { from: resolveTime(from, now) ?? now, to: resolveTime(to, now) ?? now }
    const step = stepFor(range.to - range.from, MAX_STEPS)
    const response = await client.peek().query('metricSeries', { ...request, step }, { signal })
    return { response, ...range, show: view.show === '' ? showsOf(response)[0] : view.show }
  })
  const completion = signalCompletion('metrics', search, now)
  const keys = useLoaded(`metric-keys:${completion.key}`, signal => completion.keys(signal))
  const { value } = loaded
  const about = value?.response ?? metric
  const shows = about === undefined ? [] : showsOf(about)
  const setRange = (start: number, end: number): void =>
    onSearch({ ...search, from: timeText(start), to: timeText(end) })
  return (
    <section class="metric-panel scrolls" aria-label={view.name} tabIndex={0}>
      <div class="metric-head">
        <h2 class="code">{view.name}</h2>
        <span class="muted">
          {about === undefined
            ? ''
            : [
                KIND_TITLES[about.kind],
                about.unit === '' ? 'no unit' : unitSymbol(about.unit) || about.unit.replaceAll(/[{}]/g, ''),
                ...(about.kind === 'gauge' || about.kind === 'summary' ? [] : [about.temporality]),
                ...(about.kind === 'sum' && !about.monotonic ? ['non-monotonic'] : []),
              ].join(' · ')}
        </span>
        {about !== undefined && about.description !== '' && <p class="muted">{about.description}</p>}
      </div>
      <div class="bar metric-bar">
        <label>
          <span class="muted">Show</span>
          <select
            value={view.show === '' ? (shows[0] ?? '') : view.show}
            onChange={event => onView({ ...view, show: event.currentTarget.value as MetricShow })}
          >
            {shows.map(each => (
              <option key={each} value={each}>
                {SHOW_TITLES[each]}
              </option>
            ))}
          </select>
        </label>
        <Combo
          label="Group by"
          width={210}
          value={view.groupBy[0] ?? NONE}
          options={[
            { value: NONE, title: 'No grouping' },
            ...(keys.value ?? []).map(({ key }) => ({ value: key, title: `Group by ${key}` })),
          ]}
          onChoose={chosen => onView({ ...view, groupBy: chosen === NONE ? [] : [chosen] })}
        />
      </div>
      <div class={loaded.slow ? 'metric-plot stale' : 'metric-plot'}>
        <Progress of={loaded} what="Loading points" />
        {loaded.error !== undefined && !loaded.loading ? (
          <Failure error={loaded.error} onRetry={loaded.retry} />
        ) : value === undefined ? (
          <></>
        ) : value.response.groups.length === 0 ? (
          <p class="reading muted">No data in this range</p>
        ) : (
          <MetricChart {...value} onRange={setRange} />
        )}
      </div>
      {value !== undefined && (
        <ProfileBeside
          service={search.service}
          from={from}
          to={to}
          range={value}
          type={view.beside}
          onType={beside => onView({ ...view, beside })}
          onRange={setRange}
          now={now}
          isNarrow={value.show !== 'buckets' && value.response.groups.length * Math.max(1, linesOf(value)) > 1}
        />
      )}
      {value !== undefined && <ExemplarList response={value.response} />}
    </section>
  )
}

/** The number of lines of each group. */
function linesOf({ response, show }: { readonly response: MetricSeriesResponse; readonly show: MetricShow }): number {
  return show === 'quantiles' ? response.quantiles.length : 1
}

interface MetricChartProps {
  readonly response: MetricSeriesResponse
  readonly show: MetricShow
  readonly from: number
  readonly to: number
  readonly onRange: (from: number, to: number) => void
}

function MetricChart({ response, show, from, to, onRange }: MetricChartProps): JSX.Element {
  const columns = useMemo(() => metricColumns(response, show), [response, show])
  const openExemplar = (key: string): void => {
    const exemplar = exemplarAt(response, key)
    if (exemplar !== undefined) navigate({ ...TRACE, traceId: exemplar.traceId, spanId: exemplar.spanId })
  }
  if (show === 'buckets') return <Buckets response={response} from={from} to={to} onRange={onRange} />
  return (
    <LineChart
      columns={columns}
      from={from}
      to={to}
      label={`${response.name} over time`}
      hint={columns.exemplars.length === 0 ? 'Drag to zoom' : 'Drag to zoom · click a diamond to open its trace'}
      onRange={onRange}
      onExemplar={openExemplar}
    />
  )
}

/** The heat map of one group, with a field to select it if there are several. */
function Buckets({ response, from, to, onRange }: Omit<MetricChartProps, 'show'>): JSX.Element {
  const [chosen, setChosen] = useState(0)
  const group = response.groups[Math.min(chosen, response.groups.length - 1)]
  const grid = useMemo(() => bucketGrid(response, group), [response, group])
  return (
    <>
      {response.groups.length > 1 && (
        <label class="bucket-group">
          <span class="muted">Group</span>
          <select value={chosen} onChange={event => setChosen(Number(event.currentTarget.value))}>
            {response.groups.map(({ labels }, i) => (
              <option key={i} value={i}>
                {labelsText(labels)}
              </option>
            ))}
          </select>
        </label>
      )}
      {grid === undefined ? (
        <p class="reading muted">No data in this range</p>
      ) : (
        <BucketMap
          grid={grid}
          unit={response.unit}
          label={`Buckets of ${response.name} over time`}
          from={from}
          to={to}
          onRange={onRange}
        />
      )}
    </>
  )
}
