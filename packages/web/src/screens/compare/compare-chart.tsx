// The totals of one side over time. The chart shows the selected range and as much time on each side; a drag selects another range.
import type { JSX } from 'preact'
import type { Query } from '../../address/query.ts'
import { selectorOf, snapshotsOf } from '../../address/query.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { absolute, resolveTime, profileStepFor, timeText } from '../../address/time-range.ts'
import { DEFAULT_VIEW } from '../../address/view.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { SeriesChart } from '../../widgets/charts/series-chart.tsx'

export interface CompareChartProps {
  readonly query: Query
  readonly now: number
  readonly label: string
  readonly onQuery: (query: Query) => void
}

const MAX_STEPS = 90

export function CompareChart({ query, now, label, onQuery }: CompareChartProps): JSX.Element {
  const selector = selectorOf(query)
  const series = useLoaded(`around:${selector}:${query.from}:${query.to}:${query.snapshots}:${now}`, async signal => {
    const selected = { from: resolveTime(query.from, now) ?? now, to: resolveTime(query.to, now) ?? now }
    const length = Math.max(1000, selected.to - selected.from)
    const from = selected.from - length
    // The future has no data, unless the range includes it.
    const to = Math.max(selected.to, Math.min(now, selected.to + length))
    const step = profileStepFor(to - from, MAX_STEPS)
    const range = absolute({ from: timeText(from), to: timeText(to) }, now)
    const request = { selector, ...snapshotsOf(query), times: true, ...range, step }
    return { response: await client.peek().query('series', request, { signal }), from, to, selected }
  })
  const { value } = series
  return (
    <div class={series.slow ? 'compare-chart stale' : 'compare-chart'}>
      <Progress of={series} what="Loading totals" />
      {value !== undefined && value.response.groups.length > 0 && (
        <SeriesChart
          response={value.response}
          from={value.from}
          to={value.to}
          selected={value.selected}
          label={label}
          hint="Drag to select a range"
          onRange={(start, end) => onQuery({ ...query, from: timeText(start), to: timeText(end) })}
          onProfile={profile => navigate({ screen: 'profile', profile, view: DEFAULT_VIEW })}
        />
      )}
      {value !== undefined && value.response.groups.length === 0 && (
        <p class="muted compare-chart-empty">No data in this range</p>
      )}
    </div>
  )
}
