// The total of profiles as one more metric, on the same axis of time.
import type { JSX } from 'preact'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import { EXPLORE } from '../../address/route.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { stepFor } from '../../address/time-range.ts'
import { DEFAULT_VIEW } from '../../address/view.ts'
import { Combo } from '../../widgets/controls/combo.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { SeriesChart } from '../../widgets/charts/series-chart.tsx'

export interface ProfileBesideProps {
  /** Empty for all. */
  readonly service: string
  /** As the address has them, */
  readonly from: string
  readonly to: string
  /** and in milliseconds since 1970. */
  readonly range: { readonly from: number; readonly to: number }
  /** As `cpu:ns`; empty for none. */
  readonly type: string
  readonly onType: (type: string) => void
  readonly onRange: (from: number, to: number) => void
  readonly moment: number
  /** Whether the chart above has names beside it, so that this one ends where it does. */
  readonly isNarrow: boolean
}

const NONE = '\u0000none'
const MOST_STEPS = 60
const EXEMPLARS = 8

export function ProfileBeside(props: ProfileBesideProps): JSX.Element {
  const { service, from, to, range, type, onType, onRange, moment, isNarrow } = props
  const query = { ...EMPTY_QUERY, service, type, from, to }
  const types = useLoaded(`beside-types:${service}:${from}:${to}:${moment}`, async signal => {
    const selector = selectorOf({ ...query, type: '' })
    return (await client.peek().ask('profileTypes', { selector, from, to }, { signal })).profileTypes
  })
  const selector = selectorOf(query)
  const series = useLoaded(type === '' ? undefined : `beside:${selector}:${from}:${to}:${moment}`, signal => {
    const step = stepFor(range.to - range.from, MOST_STEPS)
    return client.peek().ask('series', { selector, from, to, step, exemplars: EXEMPLARS }, { signal })
  })
  const names = [...new Set((types.value ?? []).map(each => `${each.type}:${each.unit}`))].sort()
  return (
    <section class={isNarrow ? 'metric-beside narrow' : 'metric-beside'} aria-label="Profiles of the same time">
      <div class="bar">
        <Combo
          label="Profiles below"
          width={210}
          value={type === '' ? NONE : type}
          options={[
            { value: NONE, title: 'No profiles below' },
            ...names.map(value => ({ value, title: `Total of ${value}` })),
          ]}
          onChoose={chosen => onType(chosen === NONE ? '' : chosen)}
          empty="No profiles in this time"
        />
        {type !== '' && (
          <RouteLink to={{ ...EXPLORE, query }} class="button">
            Open in Explore
          </RouteLink>
        )}
      </div>
      {type !== '' && (
        <div class={series.slow ? 'explore-plot stale' : 'explore-plot'}>
          <Progress of={series} what="Reading totals" />
          {series.error !== undefined && !series.loading ? (
            <Failure error={series.error} onRetry={series.retry} />
          ) : series.value === undefined ? (
            <></>
          ) : series.value.groups.length === 0 ? (
            <p class="reading muted">No such profiles in this time.</p>
          ) : (
            <SeriesChart
              answer={series.value}
              from={range.from}
              to={range.to}
              label={`Total of ${type} over time`}
              onRange={onRange}
              onProfile={profile => navigate({ screen: 'profile', profile, view: DEFAULT_VIEW })}
            />
          )}
        </div>
      )}
    </section>
  )
}
