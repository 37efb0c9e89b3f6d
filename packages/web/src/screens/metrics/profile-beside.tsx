// The total of a profile type below a metric, on the same time axis.
import type { JSX } from 'preact'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import { EXPLORE } from '../../address/route.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { absolute, profileStepFor } from '../../address/time-range.ts'
import { DEFAULT_VIEW } from '../../address/view.ts'
import { Combo } from '../../widgets/controls/combo.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { typeTitle } from '../../widgets/type-title.ts'
import { SNAPSHOT_TITLES } from '../../widgets/query-bar/snapshot-select.tsx'
import { SeriesChart } from '../../widgets/charts/series-chart.tsx'

export interface ProfileBesideProps {
  /** Empty for all services. */
  readonly service: string
  /** The range of the URL. */
  readonly from: string
  readonly to: string
  /** The same range in milliseconds since 1970. */
  readonly range: { readonly from: number; readonly to: number }
  /** For example `cpu:ns`; empty for none. */
  readonly type: string
  readonly onType: (type: string) => void
  readonly onRange: (from: number, to: number) => void
  readonly now: number
  /** Whether the chart above has a legend. This one then has the same width. */
  readonly isNarrow: boolean
}

const NONE = '\u0000none'
const MAX_STEPS = 60
const EXEMPLARS = 8

export function ProfileBeside(props: ProfileBesideProps): JSX.Element {
  const { service, from, to, range, type, onType, onRange, now, isNarrow } = props
  const query = { ...EMPTY_QUERY, service, type, from, to }
  const loaded = absolute({ from, to }, now)
  const types = useLoaded(`beside-types:${service}:${from}:${to}:${now}`, async signal => {
    const selector = selectorOf({ ...query, type: '' })
    return (await client.peek().query('profileTypes', { selector, ...loaded }, { signal })).profileTypes
  })
  const selector = selectorOf(query)
  const series = useLoaded(type === '' ? undefined : `beside:${selector}:${from}:${to}:${now}`, signal => {
    const step = profileStepFor(range.to - range.from, MAX_STEPS)
    return client.peek().query('series', { selector, times: true, ...loaded, step, exemplars: EXEMPLARS }, { signal })
  })
  const names = [...new Set((types.value ?? []).map(each => `${each.type}:${each.unit}`))].sort()
  return (
    <section class={isNarrow ? 'metric-beside narrow' : 'metric-beside'} aria-label="Profile total">
      <div class="bar">
        <Combo
          label="Profile type"
          width={210}
          value={type === '' ? NONE : type}
          options={[
            { value: NONE, title: 'Compare with a profile' },
            ...names.map(value => ({ value, title: typeTitle(value) })),
          ]}
          onChoose={chosen => onType(chosen === NONE ? '' : chosen)}
          empty="No profiles in this range"
        />
        {type !== '' && (
          <RouteLink to={{ ...EXPLORE, query }} class="button">
            Open in Explore
          </RouteLink>
        )}
        {series.value?.snapshots !== undefined && (
          <span class="muted">{SNAPSHOT_TITLES[series.value.snapshots]} in each step</span>
        )}
      </div>
      {type !== '' && (
        <div class={series.slow ? 'explore-plot stale' : 'explore-plot'}>
          <Progress of={series} what="Loading totals" />
          {series.error !== undefined && !series.loading ? (
            <Failure error={series.error} onRetry={series.retry} />
          ) : series.value === undefined ? (
            <></>
          ) : series.value.groups.length === 0 ? (
            <p class="reading muted">No data in this range</p>
          ) : (
            <SeriesChart
              response={series.value}
              from={range.from}
              to={range.to}
              label={`Total ${typeTitle(type)} over time`}
              onRange={onRange}
              onProfile={profile => navigate({ screen: 'profile', profile, view: DEFAULT_VIEW })}
            />
          )}
        </div>
      )}
    </section>
  )
}
