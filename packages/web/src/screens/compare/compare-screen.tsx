// Compare: two queries against each other.
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { ServerComparison, ServerSource } from '../../api/server-source.ts'
import type { Query } from '../../address/query.ts'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import type { CompareRoute, Comparison } from '../../address/route.ts'
import { tracesWith } from '../../address/route.ts'
import { useCommands } from '../../state/commands.ts'
import { askAgain, moment, refresh } from '../../state/moment.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { lengthOf, shifted, spanning } from '../../address/time-range.ts'
import type { View } from '../../address/view.ts'
import { ComparisonView } from '../../widgets/comparison-view/comparison-view.tsx'
import { Icon } from '../../widgets/controls/icon.tsx'
import { QueryBar } from '../../widgets/query-bar/query-bar.tsx'
import { CompareChart } from './compare-chart.tsx'
import { preferredType } from '../../api/preferred-type.ts'
import '../explore/explore.css'
import './compare.css'

const DAY = 86_400_000

export function CompareScreen({ route }: { readonly route: CompareRoute }): JSX.Element {
  const { before, after, comparison, view } = route
  const asker = client.value
  const asked = moment.value
  const source = useMemo(
    () => new ServerComparison(asker, new ServerSource(asker, before, asked), new ServerSource(asker, after, asked)),
    [asker, selectorOf(before), before.from, before.to, selectorOf(after), after.from, after.to, asked],
  )
  const change = (to: Partial<CompareRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...to }, how)
  const swap = (): void => change({ before: after, after: before })
  useFirstTypes(route)
  useCommands(
    () => [{ title: 'Swap the sides', group: 'Compare', keys: ['x'], run: swap }, askAgain('Compare')],
    [route],
  )
  return (
    <div class="explore">
      <h1 class="visually-hidden">Compare</h1>
      <div class="compare-sides">
        <section aria-label="Before">
          <h2>Before</h2>
          <QueryBar name="Before: " query={before} moment={asked} onQuery={query => change({ before: query })} />
          {before.type !== '' && (
            <CompareChart
              label="Totals before"
              query={before}
              moment={asked}
              onQuery={query => change({ before: query })}
            />
          )}
        </section>
        <section aria-label="After">
          <h2>After</h2>
          <QueryBar
            name="After: "
            query={after}
            moment={asked}
            onQuery={query => change({ after: query })}
            onRefresh={refresh}
          />
          {after.type !== '' && (
            <CompareChart
              label="Totals after"
              query={after}
              moment={asked}
              onQuery={query => change({ after: query })}
            />
          )}
        </section>
      </div>
      <div class="bar">
        <button type="button" onClick={swap}>
          <Icon name="swap" /> Swap
        </button>
        <span class="muted">Before is the same as after, but</span>
        <button type="button" onClick={() => change({ before: earlier(after, undefined) })}>
          the time before it
        </button>
        <button type="button" onClick={() => change({ before: earlier(after, DAY) })}>
          the same time yesterday
        </button>
        <button type="button" onClick={() => change({ before: earlier(after, 7 * DAY) })}>
          a week ago
        </button>
      </div>
      {before.type !== '' && after.type !== '' && (
        <ComparisonView
          source={source}
          comparison={comparison}
          onComparison={(next: Comparison, how) => change({ comparison: next }, how)}
          view={view}
          onView={(next: View, how) => change({ view: next }, how)}
          onTraces={name => navigate(tracesWith(name, spanning(before, after, Date.now())))}
          empty={<NothingToCompare />}
        />
      )}
      {(before.type === '' || after.type === '') && <NothingToCompare />}
    </div>
  )
}

function NothingToCompare(): JSX.Element {
  return (
    <div class="reading">
      <h2>Neither side has profiles</h2>
      <p class="muted">Choose a service, a profile type and two times above.</p>
    </div>
  )
}

/** By its own length unless given. */
function earlier(query: Query, byMs: number | undefined): Query {
  const now = Date.now()
  return { ...query, ...shifted(query, byMs ?? lengthOf(query, now) ?? DAY, now) }
}

/** Where a side has no type it takes the other's, or the first that there is. */
function useFirstTypes(route: CompareRoute): void {
  const { before, after } = route
  const isOpen = before.type === '' && after.type === ''
  const { from, to, service } = after
  const found = useLoaded(isOpen ? `first:${service}:${from}:${to}` : undefined, async signal => {
    const selector = selectorOf({ ...EMPTY_QUERY, service })
    const { profileTypes } = await client.peek().ask('profileTypes', { selector, from, to }, { signal })
    return { service, type: preferredType(profileTypes) }
  })
  useLayoutEffect(() => {
    const first = found.loading || found.value?.service !== service ? undefined : found.value.type
    const type = after.type || before.type || first
    if (type === undefined || (before.type !== '' && after.type !== '')) return
    const fill = (query: Query): Query => (query.type === '' ? { ...query, type } : query)
    navigate({ ...route, before: fill(before), after: fill(after) }, 'replace')
  }, [found.value, found.loading, before.type, after.type, service])
}
