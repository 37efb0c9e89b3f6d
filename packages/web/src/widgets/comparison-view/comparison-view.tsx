// The views of a comparison of two sets of profiles: a flame graph of the difference, side by side, and a table of functions.
import { ROOT, findPath, formatValue } from '@hearth/profile'
import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { ComparisonSource, DiffRows } from '../../api/profile-source.ts'
import type { FlameGraphView } from '../../draw/flame-graph/flame-graph-view.ts'
import type { Comparison, ShownComparison } from '../../address/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { View } from '../../address/view.ts'
import { rootsOf } from '../../address/view.ts'
import { DetailBar } from '../flame-graph/detail-bar.tsx'
import { Failure } from '../failure.tsx'
import { FlameGraph } from '../flame-graph/flame-graph.tsx'
import { targetAt } from '../flame-graph/frame-actions.ts'
import { ExportMenu } from '../flame-graph/export-menu.tsx'
import { GraphOptions } from '../flame-graph/graph-options.tsx'
import { graphProps } from '../flame-graph/graph-props.ts'
import { PathBar } from '../flame-graph/path-bar.tsx'
import { goToMatch, orderFor, useShownTree } from '../flame-graph/use-shown-tree.ts'
import { useFrameMenu } from '../flame-graph/use-frame-menu.tsx'
import { useViewCommands } from '../flame-graph/use-view-commands.ts'
import { Progress } from '../controls/progress.tsx'
import { Tabs } from '../controls/tabs.tsx'
import { DiffScale } from './diff-scale.tsx'
import { DiffTable } from './diff-table.tsx'
import { ChangeSummary } from './change-summary.tsx'
import { SideBySide } from './side-by-side.tsx'
import './comparison-view.css'

export interface ComparisonViewProps {
  readonly source: ComparisonSource
  readonly comparison: Comparison
  readonly onComparison: (comparison: Comparison, how?: 'push' | 'replace') => void
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  /** Opens the traces that contain a function. Undefined without a server. */
  readonly onTraces?: ((name: string) => void) | undefined
  readonly empty: ComponentChildren
  /** Whether both sides have the same profile type. If not, only shares can be compared. */
  readonly isAlike?: boolean
  /** Whether absolute values are per request. */
  readonly isPerRequest?: boolean
}

const SHOWS: readonly { readonly value: ShownComparison; readonly title: string }[] = [
  { value: 'diff', title: 'Diff' },
  { value: 'side', title: 'Side by side' },
  { value: 'table', title: 'Table' },
]

export function ComparisonView(props: ComparisonViewProps): JSX.Element {
  const {
    source: plain,
    comparison,
    onComparison,
    view,
    onView,
    onTraces,
    empty,
    isAlike = true,
    isPerRequest = false,
  } = props
  const { shows, filter } = comparison
  const absolute = comparison.absolute && isAlike
  const order = orderFor(view)
  const roots = shows === 'side' ? rootsOf(view) : view.roots
  const source = useMemo(() => plain.rooted(roots, view.addresses), [plain, roots.join('\n'), view.addresses])
  const loaded = useLoaded(`${source.key}:${order}:${absolute}`, signal => source.tree(order, absolute, signal))
  const rows = useLoaded(`${plain.key}:rows`, signal => plain.rows(signal))
  const { tree, result, found } = useShownTree(loaded.value, { ...view, search: filter })
  const hovered = useSignal<number | undefined>(undefined)
  const selected = useSignal<number | undefined>(undefined)
  const detailed = useComputed(() => hovered.value ?? selected.value)
  const [graph, setGraph] = useState<FlameGraphView | undefined>(undefined)
  const searchField = useRef<HTMLInputElement>(null)
  // The comparison has a search of its own, independent of the search in the views of a single profile.
  const context = {
    view: { ...view, search: filter },
    onView: (next: View, how?: 'push' | 'replace') =>
      next.search === filter
        ? onView({ ...next, search: view.search }, how)
        : onComparison({ ...comparison, filter: next.search }, how),
    onFilter: undefined,
    onTraces,
    hasSandwich: false,
  }
  const { menu, openMenu } = useFrameMenu(context)
  const selectMatch = (direction: 1 | -1): void => {
    const next = goToMatch(graph, tree, result, direction)
    if (next !== undefined) selected.value = next
  }
  useViewCommands({
    context,
    shows: [],
    searchField,
    targetOfSelected: () => targetAt(tree, selected.peek()),
    onNext: selectMatch,
  })

  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  if (loaded.value !== undefined && loaded.value.tree.length === 0 && !loaded.loading) return <>{empty}</>
  return (
    <section class="profile-view" aria-label="Profile comparison">
      <div class="bar">
        <Tabs
          label="Show"
          options={SHOWS}
          value={shows}
          onChange={value => onComparison({ ...comparison, shows: value })}
        />
        <div class="view-search" role="search">
          <input
            ref={searchField}
            type="search"
            aria-label="Search functions"
            placeholder="Search functions  /"
            spellcheck={false}
            value={filter}
            onInput={event => onComparison({ ...comparison, filter: event.currentTarget.value }, 'replace')}
            onKeyDown={event => {
              if (event.key === 'Enter') selectMatch(event.shiftKey ? -1 : 1)
            }}
          />
          <span class="muted" role="status">
            {shows === 'diff' ? found : ''}
          </span>
        </div>
        <span class="spring" />
        {shows === 'diff' && tree !== undefined && <DiffScale tree={tree} colourBlind={view.colourBlind} />}
        {isAlike && (
          <Tabs
            label="Values"
            options={[
              { value: 'share', title: 'Percent' },
              { value: 'absolute', title: isPerRequest ? 'Per request' : 'Absolute' },
            ]}
            value={absolute ? 'absolute' : 'share'}
            onChange={value => onComparison({ ...comparison, absolute: value === 'absolute' })}
          />
        )}
        {shows !== 'table' && <GraphOptions source={plain} view={view} onView={onView} isColoured={shows === 'side'} />}
        <ExportMenu source={undefined} tree={tree} graph={shows === 'diff' ? graph : undefined} name="difference" />
      </div>
      {shows !== 'table' && (
        <PathBar
          view={view}
          onView={onView}
          hiddenNodes={shows === 'diff' ? (tree?.hiddenNodes ?? 0) : 0}
          hiddenSelf={loaded.value?.hiddenSelf ?? 0n}
          missing={loaded.value?.missing}
          sum={loaded.value?.tree.sum ?? 0n}
        />
      )}
      <div class={`profile-body comparison-${shows}${loaded.slow ? ' stale' : ''}`}>
        <Progress of={loaded} what="Comparing" />
        {shows === 'diff' && (
          <>
            <div class="profile-graph">
              <FlameGraph
                tree={tree}
                label="Diff flame graph"
                {...graphProps(view, onView)}
                colourBy="diff"
                matches={result?.matches}
                onHover={hit => (hovered.value = hit?.node)}
                onSelect={hit => (selected.value = hit?.node)}
                onMenu={(hit, place) => openMenu(targetAt(tree, hit.node), place)}
                onReady={setGraph}
              />
            </div>
            <ChangeSummary rows={rows.value} onChoose={name => onComparison({ ...comparison, filter: name })} />
          </>
        )}
        {shows === 'side' && <SideBySide source={source} view={view} onView={onView} search={filter} />}
        {shows === 'table' && rows.value !== undefined && (
          <DiffTable
            rows={rows.value}
            absolute={absolute}
            search={filter}
            sort={comparison.sort}
            onSort={sort => onComparison({ ...comparison, sort })}
          />
        )}
        {shows === 'table' && rows.error !== undefined && !rows.loading && (
          <Failure error={rows.error} onRetry={rows.retry} />
        )}
      </div>
      {shows === 'diff' && (
        <DetailBar
          tree={tree}
          node={detailed}
          focused={tree === undefined ? ROOT : findPath(tree, view.focus).node}
          all={isAlike ? rows.value && sumsText(rows.value) : 'Comparing percentages only'}
        />
      )}
      {menu}
    </section>
  )
}

/** The absolute totals, also if shares are compared. */
function sumsText({ beforeSum, afterSum, unit, requests }: DiffRows): string {
  if (requests !== undefined) {
    return `${formatValue(afterSum, unit)} vs. ${formatValue(beforeSum, unit)} per request`
  }
  return `Baseline ${formatValue(beforeSum, unit)}, comparison ${formatValue(afterSum, unit)}`
}
