// The Breakdown screen: one attribute of the selected profiles as bars, or as small charts or flame graphs.
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { ServerSource } from '../../api/server-source.ts'
import type { Query } from '../../address/query.ts'
import { selectorOf } from '../../address/query.ts'
import type { BreakdownRoute } from '../../address/route.ts'
import { compareRoute } from '../../address/compare-route.ts'
import { resolveTime } from '../../address/time-range.ts'
import { EXPLORE } from '../../address/route.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useDivisors } from '../../state/use-divisors.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { BreakdownBars } from '../../widgets/breakdown/breakdown-bars.tsx'
import type { Breakdown, BreakdownRow } from '../../widgets/breakdown/breakdown-rows.ts'
import { filterOf, preferredKey, unitOfRow } from '../../widgets/breakdown/breakdown-rows.ts'
import { useAttributeKeys, useBreakdown, useRowRequests } from '../../widgets/breakdown/use-breakdown.ts'
import { useValueChoice } from '../../widgets/breakdown/use-value-choice.tsx'
import { Sparkline } from '../../widgets/charts/sparkline.tsx'
import { Combo } from '../../widgets/controls/combo.tsx'
import { Icon } from '../../widgets/controls/icon.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Tabs } from '../../widgets/controls/tabs.tsx'
import { counted } from '../../widgets/counted.ts'
import { Failure } from '../../widgets/failure.tsx'
import { FlameGraph } from '../../widgets/flame-graph/flame-graph.tsx'
import { formatMoment, lengthWords } from '../../widgets/format-time.ts'
import { NormaliseSelect } from '../../widgets/query-bar/normalise-select.tsx'
import { QueryBar } from '../../widgets/query-bar/query-bar.tsx'
import { useFirstType } from '../../widgets/query-bar/use-first-type.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import '../explore/explore.css'
import '../services/services.css'
import '../../widgets/profile-view/profile-view.css'

const SHOWS = [
  { value: 'bars', title: 'Bars' },
  { value: 'charts', title: 'Charts' },
  { value: 'graphs', title: 'Flame graphs' },
] as const

export function BreakdownScreen({ route }: { readonly route: BreakdownRoute }): JSX.Element {
  const { query, show, per } = route
  const now = loadTime.value
  const keys = useAttributeKeys(query, now)
  const attribute = route.key === '' ? preferredKey(keys ?? []) : route.key
  const loaded = useBreakdown(query, attribute, now)
  const divisors = useDivisors(query, per, now) ?? {}
  const change = (next: Partial<BreakdownRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...next }, how)
  useLayoutEffect(() => {
    if (route.key === '' && attribute !== '') change({ key: attribute }, 'replace')
  }, [attribute])
  const hasNothing = useFirstType(query, type => change({ query: { ...query, type } }, 'replace'))
  useCommands(() => [refreshCommand('Breakdown')], [])
  const withValue = (row: BreakdownRow): Query => ({ ...query, filters: [...query.filters, filterOf(attribute, row)] })
  const onFilter = (row: BreakdownRow): void => navigate({ ...EXPLORE, query: withValue(row), per })
  const onCompare = (before: BreakdownRow, after: BreakdownRow): void =>
    navigate(compareRoute(withValue(before), withValue(after), per))
  const { value } = loaded
  const { marked, hint, choose } = useValueChoice(value?.rows ?? [], onFilter, onCompare)
  const requests = useRowRequests(query, attribute, value, per, now)
  const most = show === 'charts' ? MAX_CHARTS : MAX_GRAPHS
  const valueOf = (row: BreakdownRow, of: Breakdown): string => {
    const unit = unitOfRow(row, of, per, divisors, requests)
    return unit === undefined ? '–' : formatValue(row.sum, unit)
  }
  return (
    <div class="explore">
      <h1 class="visually-hidden">Breakdown by {attribute}</h1>
      <QueryBar query={query} onQuery={next => change({ query: next })} now={now} onRefresh={refresh} />
      <div class="bar">
        <RouteLink class="button plain" to={{ ...EXPLORE, query, per }}>
          <Icon name="back" /> Explore
        </RouteLink>
        <Combo
          label="Attribute"
          width={220}
          value={attribute}
          placeholder="Attribute"
          options={(keys ?? []).map(each => ({ value: each }))}
          onChoose={key => change({ key })}
        />
        <Tabs label="Show" options={SHOWS} value={show} onChange={next => change({ show: next })} />
        <span class="spring" />
        {value !== undefined && <span class="muted">{counted(value.rows.length, 'value')}</span>}
        <NormaliseSelect per={per} onPer={next => change({ per: next })} />
      </div>
      <div class={loaded.slow ? 'services-body scrolls stale' : 'services-body scrolls'}>
        <Progress of={loaded} what="Loading values" />
        {loaded.error !== undefined && !loaded.loading ? (
          <Failure error={loaded.error} onRetry={loaded.retry} />
        ) : value === undefined ? (
          hasNothing && <p class="reading">No data in this range</p>
        ) : value.rows.length === 0 ? (
          <p class="reading">No data in this range</p>
        ) : show === 'bars' ? (
          <BreakdownBars breakdown={value} {...{ attribute, per, divisors, requests, onFilter, onCompare }} />
        ) : (
          <div class="breakdown-multiples">
            {hint}
            {value.rows.slice(0, most).map(row => (
              <section
                key={`${row.isAbsent} ${row.text}`}
                class={row.text === marked ? 'breakdown-multiple marked' : 'breakdown-multiple'}
              >
                <h2>
                  <button type="button" class="plain" onClick={event => choose(row, event.shiftKey)}>
                    {row.isAbsent ? '(none)' : row.text}
                  </button>
                  <span class="muted">
                    {valueOf(row, value)}, {formatShare(row.sum, value.sum)}
                  </span>
                </h2>
                {show === 'charts' ? (
                  <SmallChart row={row} breakdown={value} query={query} now={now} />
                ) : (
                  <SmallGraph query={withValue(row)} label={row.text} now={now} />
                )}
              </section>
            ))}
            {value.rows.length > most && (
              <p class="muted breakdown-rest">{counted(value.rows.length - most, 'more value')}. Bars show all</p>
            )}
          </div>
        )}
      </div>
    </div>
  )
}

const MAX_CHARTS = 24
const MAX_GRAPHS = 8

interface SmallChartProps {
  readonly row: BreakdownRow
  readonly breakdown: Breakdown
  readonly query: Query
  readonly now: number
}

/** All small charts have the scale of the largest value, so that they can be compared. */
function SmallChart({ row, breakdown: { rows, unit, step }, query, now }: SmallChartProps): JSX.Element {
  const most = Math.max(...rows.flatMap(({ steps }) => steps.map(each => each ?? 0)))
  const [from, to] = [query.from, query.to].map(time => formatMoment(resolveTime(time, now) ?? now))
  return (
    <>
      <p class="muted breakdown-scale">
        0 to {formatValue(most, unit)} per {lengthWords(step * 1000)}
      </p>
      <Sparkline values={row.steps} max={most} label={`${row.text} over time`} width={300} height={160} />
      <p class="muted breakdown-scale">
        <span>{from}</span>
        <span>{to}</span>
      </p>
    </>
  )
}

function SmallGraph({
  query,
  label,
  now,
}: {
  readonly query: Query
  readonly label: string
  readonly now: number
}): JSX.Element {
  const api = client.value
  const source = useMemo(() => new ServerSource(api, query, now), [api, selectorOf(query), query.from, query.to, now])
  const loaded = useLoaded(source.key, signal => source.tree('root-first', signal))
  return (
    <div class="profile-graph">
      <Progress of={loaded} what="Loading profiles" />
      <FlameGraph
        tree={loaded.value?.tree}
        label={`Flame graph of ${label}`}
        orientation="icicle"
        colourBy="package"
        palette="standard"
      />
    </div>
  )
}
