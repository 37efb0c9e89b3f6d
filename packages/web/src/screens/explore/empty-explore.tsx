// The empty state of Explore. It says whether the server has no profiles at all or has them elsewhere, and what to do.
import type { JSX } from 'preact'
import type { Query } from '../../address/query.ts'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import { client } from '../../state/session.ts'
import { useLatest } from '../../widgets/use-latest.ts'
import { timeText } from '../../address/time-range.ts'
import { Failure } from '../../widgets/failure.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { DemoOffer } from '../../widgets/demo-data.tsx'
import { SendData } from '../../widgets/send-data/send-data.tsx'

export interface EmptyExploreProps {
  readonly query: Query
  readonly onQuery: (query: Query) => void
}

const HOUR = 3_600_000

export function EmptyExplore({ query, onQuery }: EmptyExploreProps): JSX.Element {
  const loaded = useLatest('profiles', query.service, async (service, signal) => {
    const request = { selector: selectorOf({ ...EMPTY_QUERY, service }), from: '0', to: 'now+1d' }
    const { profileTypes } = await client.peek().query('profileTypes', request, { signal })
    return profileTypes.map(each => millisOf(each.last))
  })
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  if (loaded.value === undefined) return <></>
  const { latest } = loaded.value
  if (latest === undefined) return <NothingYet />
  const { service, time } = latest
  const isFiltered = query.filters.length > 0 || query.stacks.length > 0 || query.service !== ''
  const around = { from: timeText(time - HOUR), to: timeText(time + 60_000) }
  return (
    <div class="reading empty">
      <h1>No data in this range</h1>
      <p>
        No profiles in this time range{isFiltered ? ' match the filters' : ''}. The latest profile
        {service === '' ? '' : ` of ${service}`} is from <strong>{formatMoment(time)}</strong>.
      </p>
      <div class="empty-buttons">
        <button type="button" class="primary" onClick={() => onQuery({ ...EMPTY_QUERY, ...around, service })}>
          Go to latest profile
        </button>
        {isFiltered && (
          <button type="button" onClick={() => onQuery({ ...query, service: '', filters: [], stacks: [] })}>
            Clear filters
          </button>
        )}
        <button type="button" onClick={() => onQuery({ ...query, from: 'now-1w', to: 'now' })}>
          Show last 7 days
        </button>
      </div>
    </div>
  )
}

function NothingYet(): JSX.Element {
  return (
    <div class="reading empty">
      <h1>Send the first profile</h1>
      <p>The server has not received any profiles yet. Send some in one of these ways:</p>
      <DemoOffer />
      <h2 class="visually-hidden">How to send profiles</h2>
      <SendData />
    </div>
  )
}
