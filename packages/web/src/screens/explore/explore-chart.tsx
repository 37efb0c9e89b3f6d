// The chart of totals over time in Explore, with its grouping.
import type { SeriesResponse } from '@hearth/client'
import { formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import type { Query } from '../../address/query.ts'
import type { Divisors } from '../../address/divisor.ts'
import { unitPer } from '../../address/divisor.ts'
import type { Normalisation } from '../../address/normalisation.ts'
import { hasSnapshots, selectorOf, snapshotsOf } from '../../address/query.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { absolute, resolveTime, profileStepFor, timeText } from '../../address/time-range.ts'
import { DEFAULT_VIEW } from '../../address/view.ts'
import { Combo } from '../../widgets/controls/combo.tsx'
import { counted } from '../../widgets/counted.ts'
import { ZONE } from '../../widgets/format-time.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { SeriesChart } from '../../widgets/charts/series-chart.tsx'
import { stepDivisors } from '../../widgets/charts/step-divisors.ts'
import { missingDivisors } from '../../widgets/query-bar/missing-divisors.ts'
import { NormaliseSelect } from '../../widgets/query-bar/normalise-select.tsx'
import { SNAPSHOT_TITLES } from '../../widgets/query-bar/snapshot-select.tsx'
import { CaptureLink } from '../links/capture-link.tsx'

export interface ExploreChartProps {
  readonly query: Query
  readonly groupBy: readonly string[]
  readonly per: Normalisation
  readonly divisors: Divisors
  readonly onPer: (per: Normalisation) => void
  readonly now: number
  readonly onQuery: (query: Query) => void
  readonly onGroupBy: (groupBy: readonly string[]) => void
  readonly onCompare: () => void
}

const EXEMPLARS = 8
const MAX_STEPS = 60
const COMPLETIONS = 200
const NONE = '\u0000none'

export function ExploreChart(props: ExploreChartProps): JSX.Element {
  const { query, groupBy, per, divisors, now, onQuery, onGroupBy, onPer, onCompare } = props
  const { from, to, receivedBefore } = absolute(query, now)
  const selector = selectorOf(query)
  const key = `${selector}:${from}:${to}:${now}`
  const series = useLoaded(`series:${key}:${query.snapshots}:${groupBy.join('\n')}`, async signal => {
    const range = { from: resolveTime(from, now) ?? now, to: resolveTime(to, now) ?? now }
    const step = profileStepFor(range.to - range.from, MAX_STEPS)
    const request = {
      selector,
      ...snapshotsOf(query),
      times: true,
      from,
      to,
      receivedBefore,
      step,
      groupBy,
      exemplars: EXEMPLARS,
    }
    return { response: await client.peek().query('series', request, { signal }), ...range }
  })
  const keys = useLoaded(`group-keys:${key}`, async signal => {
    return (
      await client.peek().query('attributes', { selector, from, to, receivedBefore, limit: COMPLETIONS }, { signal })
    ).attributes
  })
  // Snapshots of different steps cannot be added up. The server combines those of the whole range.
  const combined = useLoaded(hasSnapshots(query) ? `combined:${key}:${query.snapshots}` : undefined, async signal => {
    const request = { selector, ...snapshotsOf(query), from, to, receivedBefore, limit: 1 }
    return BigInt((await client.peek().query('top', request, { signal })).sum)
  })
  const { value } = series
  const sum = hasSnapshots(query) ? combined.value : value && sumOf(value.response)
  return (
    <section class="explore-chart" aria-label="Totals over time">
      <div class="explore-chart-head" data-rove>
        <strong>
          {sum === undefined || value === undefined
            ? ''
            : formatValue(sum, unitPer(value.response.unit, per, { ...divisors, total: Number(sum) }))}
        </strong>
        {value !== undefined && (
          <span class="muted">
            {value.response.type}
            {value.response.snapshots === undefined
              ? ''
              : `, ${SNAPSHOT_TITLES[value.response.snapshots].toLowerCase()}`}{' '}
            ·{' '}
            <RouteLink to={{ screen: 'profiles', query, after: '' }} title="List these profiles (Shift P)">
              {counted(value.response.profiles, 'profile')}
            </RouteLink>{' '}
            · times in {ZONE}
          </span>
        )}
        <span class="spring" />
        <NormaliseSelect per={per} onPer={onPer} missing={missingDivisors(per, divisors)} />
        <Combo
          label="Group by"
          width={190}
          value={groupBy[0] ?? NONE}
          options={[
            { value: NONE, title: 'No grouping' },
            ...(keys.value ?? []).map(each => ({ value: each.key, title: `Group by ${each.key}` })),
          ]}
          onChoose={chosen => onGroupBy(chosen === NONE ? [] : [chosen])}
        />
        <RouteLink
          class="button"
          to={{ screen: 'breakdown', query, key: groupBy[0] ?? '', show: 'bars', per }}
          title="Break down by an attribute (Shift B)"
        >
          Break down
        </RouteLink>
        <CaptureLink service={query.service} now={now} />
        <button type="button" onClick={onCompare} title="Compare with the previous period (Shift C)">
          <Icon name="swap" /> Compare
        </button>
      </div>
      <div class={series.slow ? 'explore-plot stale' : 'explore-plot'}>
        <Progress of={series} what="Loading totals" />
        {value !== undefined && value.response.groups.length > 0 && (
          <SeriesChart
            response={value.response}
            unit={unitPer(value.response.unit, per, stepDivisors(value.response, divisors, Number(sum ?? 0)))}
            from={value.from}
            to={value.to}
            label="Totals over time"
            onRange={(start, end) => onQuery({ ...query, from: timeText(start), to: timeText(end) })}
            onProfile={profile => navigate({ screen: 'profile', profile, view: DEFAULT_VIEW })}
          />
        )}
      </div>
    </section>
  )
}

function sumOf({ groups }: SeriesResponse): bigint {
  return groups.flatMap(({ points }) => points).reduce((sum, point) => sum + BigInt(point.sum), 0n)
}
