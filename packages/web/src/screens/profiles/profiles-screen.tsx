// The list of stored profiles that match a query, the latest first.
import { absolute } from '../../address/time-range.ts'
import { formatDuration, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import type { Query } from '../../address/query.ts'
import { selectorOf } from '../../address/query.ts'
import type { ProfilesRoute } from '../../address/route.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { DEFAULT_VIEW } from '../../address/view.ts'
import { Failure } from '../../widgets/failure.tsx'
import { ZONE, formatMoment, millisOf } from '../../widgets/format-time.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { QueryBar } from '../../widgets/query-bar/query-bar.tsx'
import { PageLinks } from '../../widgets/page-links.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { EmptyExplore } from '../explore/empty-explore.tsx'
import { typeTitle } from '../../widgets/type-title.ts'
import '../explore/explore.css'
import './profiles.css'

const PAGE = 100

export function ProfilesScreen({ route }: { readonly route: ProfilesRoute }): JSX.Element {
  const { query, after } = route
  const selector = selectorOf(query)
  const now = loadTime.value
  const { from, to, receivedBefore } = absolute(query, now)
  const loaded = useLoaded(`profiles:${selector}:${from}:${to}:${after}:${now}`, signal =>
    client
      .peek()
      .query(
        'profiles',
        { selector, from, to, receivedBefore, limit: PAGE, ...(after === '' ? {} : { after }) },
        { signal },
      ),
  )
  const setQuery = (next: Query): void => navigate({ screen: 'profiles', query: next, after: '' })
  useCommands(() => [refreshCommand('Profiles')], [])
  const { value } = loaded
  return (
    <div class="explore">
      <h1 class="visually-hidden">Profiles</h1>
      <QueryBar query={query} onQuery={setQuery} now={now} onRefresh={refresh} />
      <div class="profiles-body">
        <Progress of={loaded} what="Loading profiles" />
        {loaded.error !== undefined && !loaded.loading ? (
          <Failure error={loaded.error} onRetry={loaded.retry} />
        ) : value === undefined ? (
          <></>
        ) : value.profiles.length === 0 ? (
          <EmptyExplore query={query} onQuery={setQuery} />
        ) : (
          <div class="scrolls profiles-table" tabIndex={0} role="region" aria-label="Profiles">
            <table class="plain-table">
              <thead>
                <tr>
                  <th scope="col">Time ({ZONE})</th>
                  <th scope="col">Service</th>
                  <th scope="col">Type</th>
                  <th scope="col" class="number">
                    Total
                  </th>
                  <th scope="col" class="number">
                    Samples
                  </th>
                  <th scope="col" class="number">
                    Duration
                  </th>
                  <th scope="col">Profile ID</th>
                </tr>
              </thead>
              <tbody>
                {value.profiles.map(row => (
                  <tr key={row.profile}>
                    <td>
                      <RouteLink to={{ screen: 'profile', profile: row.profile, view: DEFAULT_VIEW }}>
                        {formatMoment(millisOf(row.time))}
                      </RouteLink>
                    </td>
                    <td>{row.service === '' ? <span class="muted">(no name)</span> : row.service}</td>
                    <td>{typeTitle(`${row.type}:${row.unit}`)}</td>
                    <td class="number">
                      {row.overflowed ? '> ' : ''}
                      {formatValue(BigInt(row.total), row.unit)}
                    </td>
                    <td class="number">{row.samples.toLocaleString('en')}</td>
                    <td class="number">{row.duration === '0' ? '' : formatDuration(BigInt(row.duration))}</td>
                    <td class="code muted">{row.profileId.slice(0, 16)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <PageLinks route={route} first="Latest" next={value.next} />
          </div>
        )}
      </div>
    </div>
  )
}
