// The views of a comparison of two sets of profiles: a flame graph of the difference, side by side, a table of functions, and lines.
import type { SideObservations } from '@hearth/profile'
import { ROOT, findPath, formatValue } from '@hearth/profile'
import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { ComparisonSource, DiffRows, FrameName } from '../../api/profile-source.ts'
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
import { NormaliseSelect } from '../query-bar/normalise-select.tsx'
import { ComparedLines } from './compared-lines.tsx'
import { DiffScale } from './diff-scale.tsx'
import { DiffTable } from './diff-table.tsx'
import { ChangeSummary } from './change-summary.tsx'
import { SideBySide } from './side-by-side.tsx'
import '../profile-view/profile-view.css'
import './comparison-view.css'

export interface ComparisonViewProps {
  readonly source: ComparisonSource
  readonly comparison: Comparison
  readonly onComparison: (comparison: Comparison, how?: 'push' | 'replace') => void
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  /** Opens the traces that contain a function. Undefined without a server. */
  readonly onTraces?: ((of: FrameName) => void) | undefined
  /** Opens the page of a function. Undefined without a query. */
  readonly onFunction?: ((of: FrameName) => void) | undefined
  readonly empty: ComponentChildren
  /** Whether both sides have the same profile type. If not, only shares can be compared. */
  readonly isAlike?: boolean
  /** Whether absolute values are per request. */
  readonly isPerRequest?: boolean
  /** A control that selects how values are normalised. By default, it selects shares or absolute values. */
  readonly values?: ComponentChildren
}

const SHOWS: readonly { readonly value: ShownComparison; readonly title: string }[] = [
  { value: 'diff', title: 'Diff' },
  { value: 'side', title: 'Side by side' },
  { value: 'table', title: 'Table' },
  { value: 'lines', title: 'Lines' },
]

export function ComparisonView(props: ComparisonViewProps): JSX.Element {
  const {
    source: plain,
    comparison,
    onComparison,
    view,
    onView,
    onTraces,
    onFunction,
    empty,
    isAlike = true,
    isPerRequest = false,
    values,
  } = props
  const { filter } = comparison
  const shows = comparison.shows === 'lines' && plain.versions === undefined ? 'diff' : comparison.shows
  const hasGraph = shows === 'diff' || shows === 'side'
  const absolute = comparison.absolute && isAlike
  const order = orderFor(view)
  const roots = shows === 'side' ? rootsOf(view) : view.roots
  const source = useMemo(() => plain.rooted(roots, view.addresses), [plain, roots.join('\n'), view.addresses])
  const loaded = useLoaded(`${source.key}:${order}:${absolute}`, signal => source.tree(order, absolute, signal))
  const rows = useLoaded(`${plain.key}:rows`, signal => plain.rows(signal))
  const { tree, result, found, foldedCalls, canFold } = useShownTree(loaded.value, { ...view, search: filter })
  const observations = useMemo(() => rows.value && sideObservations(rows.value), [rows.value])
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
    onFunction,
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
      <div class="bar" data-rove>
        <Tabs
          label="Show"
          options={plain.versions === undefined ? SHOWS.filter(({ value }) => value !== 'lines') : SHOWS}
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
        {shows === 'diff' && tree !== undefined && (
          <DiffScale tree={tree} colourBlind={view.colourBlind} observations={observations} />
        )}
        {isAlike &&
          shows !== 'lines' &&
          (values ?? (
            <NormaliseSelect
              options={['share', isPerRequest ? 'request' : 'total']}
              per={absolute ? (isPerRequest ? 'request' : 'total') : 'share'}
              onPer={per => onComparison({ ...comparison, absolute: per !== 'share' })}
            />
          ))}
        {hasGraph && (
          <GraphOptions
            source={plain}
            view={view}
            onView={onView}
            frames={loaded.value?.tree.frames}
            isColoured={shows === 'side'}
          />
        )}
        <ExportMenu source={undefined} tree={tree} graph={shows === 'diff' ? graph : undefined} name="difference" />
      </div>
      {hasGraph && (
        <PathBar
          view={view}
          onView={onView}
          foldedCalls={shows === 'diff' ? foldedCalls : 0}
          canFold={shows === 'diff' && canFold}
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
                observations={observations}
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
        {shows === 'lines' && plain.versions !== undefined && (
          <ComparedLines {...plain.versions} view={view} onView={onView} search={filter} />
        )}
        {shows === 'table' && rows.value !== undefined && (
          <DiffTable
            rows={rows.value}
            absolute={absolute}
            search={filter}
            sort={comparison.sort}
            onSort={sort => onComparison({ ...comparison, sort })}
            onFunction={onFunction}
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
          all={isAlike ? rows.value && sumsText(rows.value) : 'Comparing shares only'}
        />
      )}
      {menu}
    </section>
  )
}

/** Undefined if they are unknown, or if values are per request, which vary in another way. */
function sideObservations({
  beforeObservations,
  afterObservations,
  between,
  requests,
}: DiffRows): SideObservations | undefined {
  if (beforeObservations === undefined || afterObservations === undefined || requests !== undefined) return undefined
  return { before: beforeObservations, after: afterObservations, ...(between === undefined ? {} : { between }) }
}

/** The absolute totals, also if shares are compared. */
function sumsText({ beforeSum, afterSum, unit, requests }: DiffRows): string {
  if (requests !== undefined) {
    return `${formatValue(afterSum, unit)} vs. ${formatValue(beforeSum, unit)} per request`
  }
  return `Baseline ${formatValue(beforeSum, unit)}, comparison ${formatValue(afterSum, unit)}`
}
