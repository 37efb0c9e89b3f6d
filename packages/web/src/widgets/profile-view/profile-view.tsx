// Profiles from any source, with all views of them.
import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { FrameName, ProfileSource } from '../../api/profile-source.ts'
import type { FlameGraphHit, FlameGraphView } from '../../draw/flame-graph/flame-graph-view.ts'
import { HEAT_PARTS } from '../../address/heat-view.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { CallTree } from '@hearth/profile'
import { ROOT, findPath, isFunction, topOfTree } from '@hearth/profile'
import type { Filter } from '../../address/query.ts'
import type { TimeSpan } from '../../address/time-span.ts'
import type { Shown, View } from '../../address/view.ts'
import { SHOWN, rootsOf } from '../../address/view.ts'
import { DetailBar } from '../flame-graph/detail-bar.tsx'
import { Failure } from '../failure.tsx'
import type { FlameGraphProps } from '../flame-graph/flame-graph.tsx'
import { FlameGraph } from '../flame-graph/flame-graph.tsx'
import { lazy } from '../lazy.tsx'
import { Progress } from '../controls/progress.tsx'
import { TimeView } from '../time-view/time-view.tsx'
import { TopTable } from '../flame-graph/top-table.tsx'
import { ExportMenu } from '../flame-graph/export-menu.tsx'
import type { ActionTarget } from '../flame-graph/frame-actions.ts'
import { targetAt } from '../flame-graph/frame-actions.ts'
import { graphProps } from '../flame-graph/graph-props.ts'
import { LinesView } from './lines-view.tsx'
import { PathBar } from '../flame-graph/path-bar.tsx'
import { SandwichView } from './sandwich-view.tsx'
import { ThreadLegend } from './thread-legend.tsx'
import { TypeLegend } from './type-legend.tsx'
import { useFrameMenu } from '../flame-graph/use-frame-menu.tsx'
import { useShowCommands, useViewCommands } from '../flame-graph/use-view-commands.ts'
import { goToMatch, orderFor, useSearched, useShownTree } from '../flame-graph/use-shown-tree.ts'
import { ViewTabs, ViewToolbar } from './view-toolbar.tsx'
import './profile-view.css'

const HeatMapView = lazy(async () => (await import('../heat-map/heat-map-view.tsx')).HeatMapView)
const ThreadTimeline = lazy(async () => (await import('../thread-timeline/thread-timeline.tsx')).ThreadTimeline)

export interface ProfileViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  /** Adds a function to the query; undefined without a query. */
  readonly onFilter?: (name: string, keep: boolean) => void
  /** Adds an attribute filter to the query. */
  readonly onAttribute?: (filter: Filter) => void
  /** Opens the traces with samples of a function; undefined without a server. */
  readonly onTraces?: (name: string) => void
  /** Sets the query to a time range; undefined without a query. */
  readonly onTime?: ((span: TimeSpan) => void) | undefined
  /** The name of saved files. */
  readonly name: string
  /** Shown if there are no samples. */
  readonly empty: ComponentChildren
  readonly shows?: readonly Shown[]
}

export function ProfileView(props: ProfileViewProps): JSX.Element {
  const { source, view, onView, onTime, empty, shows = SHOWN } = props
  const isOfTimes = shows.includes(view.show) && (view.show === 'heat' || view.show === 'threads')
  useShowCommands(isOfTimes ? shows : [], show => onView({ ...view, show }))
  if (!isOfTimes) {
    return <CallsView {...props} shows={shows} />
  }
  const shared = {
    source,
    view,
    onView,
    tabs: <ViewTabs view={view} onView={onView} shows={shows} />,
    renderPart: (part: ProfileSource, partView: View, onPartView: ProfileViewProps['onView']) => (
      <CallsView {...props} source={part} view={partView} onView={onPartView} shows={HEAT_PARTS} empty={NO_SAMPLES} />
    ),
    empty,
  }
  if (view.show === 'heat') return <HeatMapView {...shared} onTraces={props.onTraces} />
  return <ThreadTimeline {...shared} onTime={onTime} />
}

const NO_SAMPLES = <p class="reading">No data in this range</p>

interface CallsViewProps extends ProfileViewProps {
  readonly shows: readonly Shown[]
}

/** The call stacks of profiles as graphs, tables and in time order. */
function CallsView(props: CallsViewProps): JSX.Element {
  const { source: plain, view, onView, onFilter, onAttribute, onTraces, name, empty, shows } = props
  const roots = rootsOf(view)
  const source = useMemo(() => plain.rooted(roots, view.addresses), [plain, roots.join('\n'), view.addresses])
  const show = shows.includes(view.show) ? view.show : shows[0]
  const isInTime = show === 'time'
  const order = orderFor(view)
  const loadedSums = useLoaded(isInTime ? undefined : `${source.key}:${order}`, signal => source.tree(order, signal))
  const loadedTimes = useLoaded(isInTime ? `${source.key}:time:${view.thread}` : undefined, signal =>
    source.timeline(view.thread, signal),
  )
  const loadedTree = isInTime ? loadedTimes : loadedSums
  const sums = useShownTree(isInTime ? undefined : loadedSums.value, view)
  const times = useSearched(isInTime ? loadedTimes.value?.tree : undefined, view)
  const { tree, result, found } = isInTime ? times : sums
  const wantsTop = !isInTime && show !== 'flame' && show !== 'lines' && view.transforms.length === 0
  const loadedTop = useLoaded(wantsTop ? `${source.key}:top` : undefined, signal => source.top(signal))
  const top = useMemo(
    () => (view.transforms.length === 0 ? loadedTop.value : tree && topOfTree(tree)),
    [loadedTop.value, tree, view.transforms.length],
  )

  const [graph, setGraph] = useState<FlameGraphView | undefined>(undefined)
  const searchField = useRef<HTMLInputElement>(null)
  const hovered = useSignal<number | undefined>(undefined)
  const selected = useSignal<number | undefined>(undefined)
  const detailed = useComputed(() => hovered.value ?? selected.value)
  const markedName = useSignal<string | undefined>(undefined)
  const markedFrame = useSignal<number | undefined>(undefined)
  const inSandwich = useRef<ActionTarget | undefined>(undefined)

  const context = { view, onView, onFilter, onAttribute, onTraces, hasSandwich: shows.includes('sandwich') }
  const { menu, openMenu } = useFrameMenu(context)
  // Asks the graph itself, which keeps the selection when the tree changes.
  const targetOfSelected = (): ActionTarget | undefined =>
    show === 'sandwich' ? inSandwich.current : targetAt(tree, graph?.selected)
  useViewCommands({ context, shows, searchField, targetOfSelected, onNext: direction => goOn(direction) })

  const goOn = (direction: 1 | -1): void => {
    const next = goToMatch(graph, tree, result, direction)
    if (next !== undefined) selected.value = next
  }
  const onHover = (hit: FlameGraphHit | undefined): void => {
    hovered.value = hit?.node
    const isOne = tree !== undefined && hit !== undefined && hit.frame >= 0 && isFunction(tree.frames, hit.frame)
    markedName.value = isOne ? tree.frames.name[hit.frame] : undefined
  }
  const onMark = (frame: FrameName | undefined): void => {
    markedName.value = frame?.name
    markedFrame.value = frame === undefined ? undefined : tree && frameOf(tree, frame)
  }
  const onGraphMenu: FlameGraphProps['onMenu'] = (hit, place) => openMenu(targetAt(tree, hit.node), place)

  if (loadedTree.error !== undefined && !loadedTree.loading) {
    return <Failure error={loadedTree.error} onRetry={loadedTree.retry} />
  }
  const { value: response } = loadedSums
  if (!isInTime && response !== undefined && response.tree.length === 0 && !loadedSums.loading) return <>{empty}</>

  const table = top && (
    <TopTable
      top={top}
      label="Functions"
      sort={view.sort}
      reverse={view.reverse}
      onSort={(sort, reverse) => onView({ ...view, sort, reverse })}
      search={view.search}
      regex={view.regex}
      marked={markedName}
      onMark={onMark}
      onChoose={frame => {
        if (show === 'sandwich') onView({ ...view, frame: frame.name, frameFile: frame.file })
        else onView({ ...view, search: view.search === frame.name ? '' : frame.name, regex: false })
      }}
      onMenu={(frame, place) => openMenu({ ...frame, mapping: '', path: undefined }, place)}
    />
  )
  const focused = tree === undefined || isInTime ? ROOT : findPath(tree, view.focus).node
  return (
    <section class="profile-view" aria-label="Profile">
      <ViewToolbar
        source={plain}
        view={{ ...view, show }}
        onView={onView}
        shows={shows}
        search={{ found, problem: result?.problem, onNext: goOn }}
        searchField={searchField}
      >
        <ExportMenu source={source} tree={tree} graph={graph} name={name} />
      </ViewToolbar>
      {show !== 'sandwich' && show !== 'lines' && !isInTime && (
        <PathBar
          view={view}
          onView={onView}
          hiddenNodes={tree?.hiddenNodes ?? 0}
          hiddenSelf={response?.hiddenSelf ?? 0n}
          missing={response?.missing}
          sum={response?.tree.sum ?? 0n}
        />
      )}
      {view.colour === 'thread' && (show === 'both' || show === 'flame') && (
        <ThreadLegend tree={tree} view={view} onView={onView} />
      )}
      {view.colour === 'frame-type' && (show === 'both' || show === 'flame') && <TypeLegend tree={tree} view={view} />}
      <div class={`profile-body shows-${show}${loadedTree.slow ? ' stale' : ''}`}>
        <Progress of={loadedTree} what="Loading profiles" />
        {(show === 'both' || show === 'table') && <div class="profile-table">{table}</div>}
        {(show === 'both' || show === 'flame') && (
          <div class="profile-graph">
            <FlameGraph
              tree={tree}
              label={view.inverted ? 'Inverted flame graph' : 'Flame graph'}
              {...graphProps(view, onView)}
              colourBy={view.colour}
              matches={result?.matches}
              marked={markedFrame}
              onHover={onHover}
              onSelect={hit => (selected.value = hit?.node)}
              onMenu={onGraphMenu}
              onReady={setGraph}
            />
          </div>
        )}
        {show === 'sandwich' && (
          <SandwichView
            source={source}
            view={view}
            table={table}
            onMenu={openMenu}
            onSelect={target => (inSandwich.current = target)}
            top={top}
          />
        )}
        {isInTime && (
          <TimeView
            timeline={loadedTimes.value}
            isFile={source.query === undefined}
            graph={graph}
            view={view}
            onView={onView}
            matches={result?.matches}
            onHover={onHover}
            onSelect={hit => (selected.value = hit?.node)}
            onMenu={onGraphMenu}
            onReady={setGraph}
          />
        )}
        {show === 'lines' && <LinesView source={source} view={view} onView={onView} />}
        {loadedTree.cancelled && (
          <p class="profile-cancelled">
            Cancelled.{' '}
            <button type="button" onClick={loadedTree.retry}>
              Retry
            </button>
          </p>
        )}
      </div>
      {(show === 'both' || show === 'flame' || isInTime) && <DetailBar tree={tree} node={detailed} focused={focused} />}
      {menu}
    </section>
  )
}

function frameOf({ frames }: CallTree, { name, file }: FrameName): number | undefined {
  const isIt = (each: string, i: number): boolean => each === name && isFunction(frames, i)
  const exact = frames.name.findIndex((each, i) => isIt(each, i) && frames.file[i] === file)
  const found = exact >= 0 ? exact : frames.name.findIndex(isIt)
  return found < 0 ? undefined : found
}
