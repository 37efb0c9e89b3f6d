// The empty state of Explore. It says whether the server has no profiles at all or has them elsewhere, and what to do.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Query } from '../../address/query.ts'
import { EMPTY_QUERY } from '../../address/query.ts'
import { FILES } from '../../address/route.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { timeText } from '../../address/time-range.ts'
import { CopyButton } from '../../widgets/controls/copy-button.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { Tabs } from '../../widgets/controls/tabs.tsx'
import { SNIPPETS } from './snippets.ts'

export interface EmptyExploreProps {
  readonly query: Query
  readonly onQuery: (query: Query) => void
}

const HOUR = 3_600_000

export function EmptyExplore({ query, onQuery }: EmptyExploreProps): JSX.Element {
  const all = useLoaded('everything', async signal => {
    return (await client.peek().query('profileTypes', { from: '0', to: 'now+1d' }, { signal })).profileTypes
  })
  if (all.error !== undefined && !all.loading) return <Failure error={all.error} onRetry={all.retry} />
  if (all.value === undefined) return <></>
  if (all.value.length === 0) return <NothingYet />
  const last = Math.max(...all.value.map(each => millisOf(each.last)))
  const isFiltered = query.filters.length > 0 || query.stacks.length > 0 || query.service !== ''
  const around = { from: timeText(last - HOUR), to: timeText(last + 60_000) }
  return (
    <div class="reading empty">
      <h1>No data in this range</h1>
      <p>
        No profiles in this time range{isFiltered ? ' match the filters' : ''}. The latest profile is from{' '}
        <strong>{formatMoment(last)}</strong>.
      </p>
      <div class="empty-buttons">
        <button type="button" class="primary" onClick={() => onQuery({ ...EMPTY_QUERY, ...around })}>
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
  const [chosen, setChosen] = useState(SNIPPETS[0].value)
  const snippet = SNIPPETS.find(each => each.value === chosen) ?? SNIPPETS[0]
  const text = snippet.text(location.hostname)
  return (
    <div class="reading empty">
      <h1>Send the first profile</h1>
      <p>The server has not received any profiles yet. Send some in one of these ways:</p>
      <h2 class="visually-hidden">How to send profiles</h2>
      <p>
        <Tabs
          label="Source"
          options={SNIPPETS.map(({ value, title }) => ({ value, title }))}
          value={chosen}
          onChange={setChosen}
        />
      </p>
      <pre class="empty-snippet">{text}</pre>
      <div class="empty-buttons">
        <CopyButton text={() => text}>Copy</CopyButton>
      </div>
      <p class="muted">{snippet.note}</p>
      <h2>View a local file</h2>
      <p>
        <RouteLink to={FILES}>Open a file</RouteLink>. It is read in this browser and is not uploaded.
      </p>
    </div>
  )
}
