// The Explore screen: stored profiles selected by service, type, attributes and time, as a chart over time and in every view.
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { NormalisedSource } from '../../api/normalised-source.ts'
import { ServerSource } from '../../api/server-source.ts'
import type { Query } from '../../address/query.ts'
import { hasSnapshots, selectorOf } from '../../address/query.ts'
import type { ExploreRoute } from '../../address/route.ts'
import { compareRoute } from '../../address/compare-route.ts'
import { functionRoute, tracesWith } from '../../address/route.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useDivisors } from '../../state/use-divisors.ts'
import { lengthOf, preciseTime, shifted } from '../../address/time-range.ts'
import type { View } from '../../address/view.ts'
import { lazy } from '../../widgets/lazy.tsx'
import { ProfileView } from '../../widgets/profile-view/profile-view.tsx'
import { QueryBar } from '../../widgets/query-bar/query-bar.tsx'
import { useFirstType } from '../../widgets/query-bar/use-first-type.ts'
import { ExploreChart } from './explore-chart.tsx'
import './explore.css'

const EmptyExplore = lazy(async () => (await import('./empty-explore.tsx')).EmptyExplore)

export function ExploreScreen({ route }: { readonly route: ExploreRoute }): JSX.Element {
  const { query, groupBy, view } = route
  // The size of a state, such as the live heap, does not grow with time.
  const per = hasSnapshots(query) && (route.per === 'second' || route.per === 'core') ? 'total' : route.per
  const now = loadTime.value
  const setQuery = (next: Query): void => navigate({ ...route, query: next, view: { ...view, focus: [] } })
  const setView = (next: View, how?: 'push' | 'replace'): void => navigate({ ...route, view: next }, how)
  const api = client.value
  const plain = useMemo(() => new ServerSource(api, query, now), [api, selectorOf(query), query.from, query.to, now])
  const divisors = useDivisors(query, per, now)
  const source = useMemo(() => NormalisedSource.of(plain, per, divisors ?? {}), [plain, per, JSON.stringify(divisors)])
  const hasNothing = useFirstType(query, type => navigate({ ...route, query: { ...query, type } }, 'replace'))
  useCommands(
    () => [
      refreshCommand('Explore'),
      {
        title: 'Compare with the previous period',
        group: 'Explore',
        keys: ['shift+c'],
        run: () => compareWithPrevious(route),
      },
      {
        title: 'Break down by an attribute',
        group: 'Explore',
        keys: ['shift+b'],
        run: () => navigate({ screen: 'breakdown', query, key: groupBy[0] ?? '', show: 'bars', per }),
      },
      {
        title: 'List these profiles',
        group: 'Explore',
        keys: ['shift+p'],
        run: () => navigate({ screen: 'profiles', query, after: '' }),
      },
    ],
    [route],
  )
  const addFilter = (name: string, keep: boolean): void => {
    setQuery({ ...query, stacks: [...query.stacks, { negated: !keep, place: 'frame', regex: false, name }] })
  }
  return (
    <div class="explore">
      <h1 class="visually-hidden">Explore</h1>
      <QueryBar query={query} onQuery={setQuery} now={now} onRefresh={refresh} />
      {query.type === '' ? (
        hasNothing && <EmptyExplore query={query} onQuery={setQuery} />
      ) : (
        <>
          <ExploreChart
            query={query}
            groupBy={groupBy}
            per={per}
            divisors={divisors ?? {}}
            onPer={next => navigate({ ...route, per: next })}
            now={now}
            onQuery={setQuery}
            onGroupBy={next => navigate({ ...route, groupBy: next })}
            onCompare={() => compareWithPrevious(route)}
          />
          {divisors === undefined ? (
            <></>
          ) : (
            <ProfileView
              source={source}
              view={view}
              onView={setView}
              onFilter={addFilter}
              onAttribute={filter => setQuery({ ...query, filters: [...query.filters, filter] })}
              onTime={({ from, until }) => setQuery({ ...query, from: preciseTime(from), to: preciseTime(until) })}
              onTraces={of => navigate(tracesWith(of, query))}
              onFunction={of => navigate(functionRoute(of, query, per))}
              name={`${query.service}-${query.type.split(':')[0]}`}
              empty={<EmptyExplore query={query} onQuery={setQuery} />}
            />
          )}
        </>
      )}
    </div>
  )
}

function compareWithPrevious({ query, per, view }: ExploreRoute): void {
  const now = loadTime.peek()
  const before = { ...query, ...shifted(query, lengthOf(query, now) ?? 3_600_000, now) }
  navigate(compareRoute(before, query, per, view))
}
