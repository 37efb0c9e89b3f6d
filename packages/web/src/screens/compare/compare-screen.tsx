// The Compare screen: the difference between two queries, the baseline and the comparison.
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { NormalisedComparison } from '../../api/normalised-comparison.ts'
import { ServerComparison, ServerSource } from '../../api/server-source.ts'
import type { Query } from '../../address/query.ts'
import { selectorOf } from '../../address/query.ts'
import type { CompareRoute } from '../../address/route.ts'
import { functionRoute, tracesWith } from '../../address/route.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useDivisors } from '../../state/use-divisors.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { absolute, lengthOf, shifted, spanning } from '../../address/time-range.ts'
import type { View } from '../../address/view.ts'
import { ComparisonView } from '../../widgets/comparison-view/comparison-view.tsx'
import { Icon } from '../../widgets/controls/icon.tsx'
import { LiveControl } from '../../widgets/query-bar/live-control.tsx'
import { missingDivisors } from '../../widgets/query-bar/missing-divisors.ts'
import { NormaliseSelect } from '../../widgets/query-bar/normalise-select.tsx'
import { QueryBar } from '../../widgets/query-bar/query-bar.tsx'
import { firstType } from '../../widgets/query-bar/use-first-type.ts'
import { CompareChart } from './compare-chart.tsx'
import '../explore/explore.css'
import './compare.css'

const DAY = 86_400_000

export function CompareScreen({ route }: { readonly route: CompareRoute }): JSX.Element {
  const { before, after, per, comparison, view } = route
  const api = client.value
  const now = loadTime.value
  const divisors = { before: useDivisors(before, per, now), after: useDivisors(after, per, now) }
  const isKnown = divisors.before !== undefined && divisors.after !== undefined
  const plain = useMemo(
    () => new ServerComparison(api, new ServerSource(api, before, now), new ServerSource(api, after, now)),
    [api, selectorOf(before), before.from, before.to, selectorOf(after), after.from, after.to, now],
  )
  const source = useMemo(
    () => NormalisedComparison.of(plain, per, { before: divisors.before ?? {}, after: divisors.after ?? {} }),
    [plain, per, JSON.stringify(divisors)],
  )
  const change = (to: Partial<CompareRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...to }, how)
  const swap = (): void => change({ before: after, after: before })
  useFirstTypes(route)
  useCommands(
    () => [
      { title: 'Swap baseline and comparison', group: 'Compare', keys: ['x'], run: swap },
      refreshCommand('Compare'),
    ],
    [route],
  )
  return (
    <div class="explore">
      <h1 class="visually-hidden">Compare</h1>
      <div class="compare-sides">
        <section aria-label="Baseline">
          <div class="compare-head">
            <h2>Baseline</h2>
          </div>
          <QueryBar name="Baseline: " query={before} now={now} onQuery={query => change({ before: query })} />
          {before.type !== '' && (
            <CompareChart
              label="Baseline totals"
              query={before}
              now={now}
              onQuery={query => change({ before: query })}
            />
          )}
        </section>
        <section aria-label="Comparison">
          <div class="compare-head">
            <h2>Comparison</h2>
            <LiveControl onRefresh={refresh} />
          </div>
          <QueryBar name="Comparison: " query={after} now={now} onQuery={query => change({ after: query })} />
          {after.type !== '' && (
            <CompareChart
              label="Comparison totals"
              query={after}
              now={now}
              onQuery={query => change({ after: query })}
            />
          )}
        </section>
      </div>
      <div class="bar">
        <button type="button" onClick={swap}>
          <Icon name="swap" /> Swap
        </button>
        <span class="muted">Set baseline to</span>
        <button type="button" onClick={() => change({ before: earlier(after, undefined) })}>
          Previous period
        </button>
        <button type="button" onClick={() => change({ before: earlier(after, DAY) })}>
          1 day earlier
        </button>
        <button type="button" onClick={() => change({ before: earlier(after, 7 * DAY) })}>
          1 week earlier
        </button>
      </div>
      {before.type !== '' && after.type !== '' && isKnown && (
        <ComparisonView
          source={source}
          comparison={{ ...comparison, absolute: per !== 'share' }}
          onComparison={({ shows, filter, sort }, how) => change({ comparison: { shows, filter, sort } }, how)}
          values={
            <NormaliseSelect
              per={per}
              onPer={next => change({ per: next })}
              missing={{
                ...missingDivisors(per, divisors.before ?? {}),
                ...missingDivisors(per, divisors.after ?? {}),
              }}
            />
          }
          view={view}
          onView={(next: View, how) => change({ view: next }, how)}
          onFunction={of => navigate(functionRoute(of, after, per === 'share' ? 'total' : per))}
          onTraces={of => navigate(tracesWith(of, { ...spanning(before, after, now), service: after.service }))}
          empty={<NoComparison />}
        />
      )}
      {(before.type === '' || after.type === '') && <NoComparison />}
    </div>
  )
}

function NoComparison(): JSX.Element {
  return (
    <div class="reading">
      <h2>No data to compare</h2>
      <p class="muted">Select a service, a profile type and two time ranges above.</p>
    </div>
  )
}

/** Moves the range of a query back by `byMs`, or by its own length if that is undefined. */
function earlier(query: Query, byMs: number | undefined): Query {
  const now = loadTime.peek()
  return { ...query, ...shifted(query, byMs ?? lengthOf(query, now) ?? DAY, now) }
}

/** Gives a side without a profile type the type of the other side, or else the preferred type of the service. */
function useFirstTypes(route: CompareRoute): void {
  const { before, after } = route
  const isOpen = before.type === '' && after.type === ''
  const { service } = after
  const { from, to } = absolute(after, loadTime.value)
  const found = useLoaded(isOpen ? `first:${service}:${from}:${to}` : undefined, async signal => ({
    service,
    type: await firstType(after, signal),
  }))
  useLayoutEffect(() => {
    const first = found.loading || found.value?.service !== service ? undefined : found.value.type
    const type = after.type || before.type || first
    if (type === undefined || (before.type !== '' && after.type !== '')) return
    const fill = (query: Query): Query => (query.type === '' ? { ...query, type } : query)
    navigate({ ...route, before: fill(before), after: fill(after) }, 'replace')
  }, [found.value, found.loading, before.type, after.type, service])
}
