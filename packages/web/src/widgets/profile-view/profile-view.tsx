// Profiles from any source, with all views of them.
import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
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
import { hasNativeCode } from '../../tree/native-code.ts'
import { DetailBar } from '../flame-graph/detail-bar.tsx'
import { Failure } from '../failure.tsx'
import type { FlameGraphProps } from '../flame-graph/flame-graph.tsx'
import { FlameGraph } from '../flame-graph/flame-graph.tsx'
import { lazy } from '../lazy.tsx'
import { Progress } from '../controls/progress.tsx'
import { SplitHandle } from '../controls/split-handle.tsx'
import { TimeView } from '../time-view/time-view.tsx'
import { ColumnMenu } from '../top-table/column-menu.tsx'
import { rowOrder, tableCsv } from '../top-table/table-rows.ts'
import { TopTable } from '../top-table/top-table.tsx'
import { ExportMenu } from '../flame-graph/export-menu.tsx'
import type { ActionTarget } from '../flame-graph/frame-actions.ts'
import { targetAt } from '../flame-graph/frame-actions.ts'
import { graphProps } from '../flame-graph/graph-props.ts'
import { PathBar } from '../flame-graph/path-bar.tsx'
import { ThreadLegend } from './thread-legend.tsx'
import { TypeLegend } from './type-legend.tsx'
import { useFrameMenu } from '../flame-graph/use-frame-menu.tsx'
import { useShowCommands, useViewCommands } from '../flame-graph/use-view-commands.ts'
import { goToMatch, orderFor, useSearched, useShownTree } from '../flame-graph/use-shown-tree.ts'
import { ViewTabs, ViewToolbar } from './view-toolbar.tsx'
import './profile-view.css'

const CallTreeView = lazy(async () => (await import('../call-tree/call-tree-view.tsx')).CallTreeView)
const CallGraphView = lazy(async () => (await import('../call-graph/call-graph-view.tsx')).CallGraphView)
const HeatMapView = lazy(async () => (await import('../heat-map/heat-map-view.tsx')).HeatMapView)
const ThreadTimeline = lazy(async () => (await import('../thread-timeline/thread-timeline.tsx')).ThreadTimeline)
const InstructionsView = lazy(async () => (await import('./instructions-view.tsx')).InstructionsView)
const LinesView = lazy(async () => (await import('./lines-view.tsx')).LinesView)
const SandwichView = lazy(async () => (await import('./sandwich-view.tsx')).SandwichView)

export interface ProfileViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  /** Adds a function to the query; undefined without a query. */
  readonly onFilter?: (name: string, keep: boolean) => void
  /** Adds an attribute filter to the query. */
  readonly onAttribute?: (filter: Filter) => void
  /** Opens the traces with samples of a function; undefined without a server. */
  readonly onTraces?: (of: FrameName) => void
  /** Opens the page of a function; undefined without a query. */
  readonly onFunction?: (of: FrameName) => void
  /** Sets the query to a time range; undefined without a query. */
  readonly onTime?: ((span: TimeSpan) => void) | undefined
  /** The name of saved files. */
  readonly name: string
  /** Shown if there are no samples. */
  readonly empty: ComponentChildren
  readonly shows?: readonly Shown[]
}

export function ProfileView(props: ProfileViewProps): JSX.Element {
  const { source, view, onView, onTime, empty, shows = showsOf(source) } = props
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

/** Only servers have the code of binaries. */
function showsOf(source: ProfileSource): readonly Shown[] {
  return source.disassembly === undefined ? WITHOUT_CODE : SHOWN
}

const WITHOUT_CODE = SHOWN.filter(show => show !== 'instructions')

const NO_SAMPLES = <p class="reading">No data in this range</p>

interface CallsViewProps extends ProfileViewProps {
  readonly shows: readonly Shown[]
}

/** The call stacks of profiles as graphs, tables and in time order. */
function CallsView(props: CallsViewProps): JSX.Element {
  const { source: plain, view, onView, onFilter, onAttribute, onTraces, onFunction, name, empty, shows: known } = props
  const roots = rootsOf(view)
  const source = useMemo(() => plain.rooted(roots, view.addresses), [plain, roots.join('\n'), view.addresses])
  const show = known.includes(view.show) ? view.show : known[0]
  const isInTime = show === 'time'
  const order = orderFor(view)
  const loadedSums = useLoaded(isInTime ? undefined : `${source.key}:${order}`, signal => source.tree(order, signal))
  const loadedTimes = useLoaded(isInTime ? `${source.key}:time:${view.thread}` : undefined, signal =>
    source.timeline(view.thread, signal),
  )
  const loadedTree = isInTime ? loadedTimes : loadedSums
  const sums = useShownTree(isInTime ? undefined : loadedSums.value, view)
  const times = useSearched(isInTime ? loadedTimes.value?.tree : undefined, view)
  const { tree, result, found, foldedCalls, canFold } = isInTime ? times : sums
  // Scripts have no instructions. The frames are unknown until the tree is loaded.
  const isScript = show !== 'instructions' && tree !== undefined && !hasNativeCode(tree.frames)
  const shows = isScript ? known.filter(each => each !== 'instructions') : known
  const hasTable = show === 'both' || show === 'table' || show === 'sandwich' || show === 'instructions'
  const wantsTop = hasTable && view.transforms.length === 0
  const loadedTop = useLoaded(wantsTop ? `${source.key}:top` : undefined, signal => source.top(signal))
  const top = useMemo(
    () => (view.transforms.length === 0 ? loadedTop.value : tree && topOfTree(tree.unfolded?.tree ?? tree)),
    [loadedTop.value, tree, view.transforms.length],
  )

  const hasBoxes = show === 'both' || show === 'flame'
  // Only the tooltip shows the number of observations, and counting them is a query of its own.
  const [isPointed, setIsPointed] = useState(false)
  const counted = useLoaded(hasBoxes && isPointed ? `${plain.key}:observations` : undefined, signal =>
    plain.observations(signal),
  )

  const [graph, setGraph] = useState<FlameGraphView | undefined>(undefined)
  const searchField = useRef<HTMLInputElement>(null)
  const hovered = useSignal<number | undefined>(undefined)
  const selected = useSignal<number | undefined>(undefined)
  const detailed = useComputed(() => hovered.value ?? selected.value)
  const markedName = useSignal<string | undefined>(undefined)
  const chosen = view.frame === '' ? undefined : { name: view.frame, file: view.frameFile }
  // The row under the pointer, otherwise the selected one.
  const markedFrame = useSignal<number | undefined>(undefined)
  const mark = (frame: FrameName | undefined): void => {
    markedFrame.value = frame && tree && frameOf(tree, frame)
  }
  useLayoutEffect(() => mark(chosen), [tree, chosen?.name, chosen?.file])
  const inSandwich = useRef<ActionTarget | undefined>(undefined)

  const hasSandwich = shows.includes('sandwich')
  const hasInstructions = shows.includes('instructions')
  const context = { view, onView, onFilter, onAttribute, onTraces, onFunction, hasSandwich, hasInstructions }
  const { menu, openMenu } = useFrameMenu(context)
  // Reads it from the graph, which keeps the selection when the tree changes.
  const targetOfSelected = (): ActionTarget | undefined =>
    show === 'sandwich' ? inSandwich.current : targetAt(tree, show === 'tree' ? selected.value : graph?.selected)
  useViewCommands({ context, shows, searchField, targetOfSelected, onNext: direction => goOn(direction) })

  const goOn = (direction: 1 | -1): void => {
    const next = goToMatch(graph, tree, result, direction)
    if (next !== undefined) selected.value = next
  }
  const onHover = (hit: FlameGraphHit | undefined): void => {
    hovered.value = hit?.node
    if (hit !== undefined) setIsPointed(true)
    const isOne = tree !== undefined && hit !== undefined && hit.frame >= 0 && isFunction(tree.frames, hit.frame)
    markedName.value = isOne ? tree.frames.name[hit.frame] : undefined
  }
  const onMark = (frame: FrameName | undefined): void => {
    markedName.value = frame?.name
    mark(frame ?? chosen)
  }
  const onGraphMenu: FlameGraphProps['onMenu'] = (hit, place) => openMenu(targetAt(tree, hit.node), place)

  if (loadedTree.error !== undefined && !loadedTree.loading) {
    return <Failure error={loadedTree.error} onRetry={loadedTree.retry} />
  }
  const { value: response } = loadedSums
  if (!isInTime && response !== undefined && response.tree.length === 0 && !loadedSums.loading) return <>{empty}</>

  /** Selects a function, or ends its selection. The sandwich always shows one. */
  const choose = (frame: FrameName): void => {
    const isSame =
      show !== 'sandwich' && show !== 'instructions' && chosen?.name === frame.name && chosen.file === frame.file
    onView({ ...view, frame: isSame ? '' : frame.name, frameFile: isSame ? '' : frame.file })
  }
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
      selected={chosen}
      overTime={source.overTime}
      onMark={onMark}
      onChoose={choose}
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
        frames={sums.tree?.frames}
      >
        {top !== undefined && hasTable && (
          <ColumnMenu
            hasSpark={source.overTime !== undefined}
            csv={() => tableCsv(top, rowOrder(top, view))}
            name={name}
          />
        )}
        <ExportMenu source={source} tree={tree} graph={graph} name={name} />
      </ViewToolbar>
      {show !== 'sandwich' && show !== 'lines' && show !== 'instructions' && !isInTime && (
        <PathBar
          view={view}
          onView={onView}
          foldedCalls={foldedCalls}
          canFold={canFold}
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
      <div
        class={`profile-body shows-${show}${show === 'both' ? ' split column-if-narrow' : ''}${loadedTree.slow ? ' stale' : ''}`}
      >
        <Progress of={loadedTree} what="Loading profiles" />
        {(show === 'both' || show === 'table') && <div class="profile-table split-first">{table}</div>}
        {show === 'both' && <SplitHandle name="table" first={0.4} label="Size of the table" />}
        {(show === 'both' || show === 'flame') && (
          <div class="profile-graph">
            <FlameGraph
              tree={tree}
              label={view.inverted ? 'Inverted flame graph' : 'Flame graph'}
              {...graphProps(view, onView)}
              colourBy={view.colour}
              matches={result?.matches}
              marked={markedFrame}
              observations={counted.value}
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
            onView={onView}
            table={table}
            onMenu={openMenu}
            onSelect={target => (inSandwich.current = target)}
            top={top}
          />
        )}
        {show === 'tree' && tree !== undefined && (
          <CallTreeView
            tree={tree}
            matches={result?.matches}
            selected={selected.value}
            onSelect={node => (selected.value = node)}
            onMenu={(node, place) => openMenu(targetAt(tree, node), place)}
          />
        )}
        {show === 'graph' && tree !== undefined && (
          <CallGraphView
            tree={tree.unfolded?.tree ?? tree}
            view={view}
            matches={result?.matches}
            onChoose={choose}
            onMenu={(frame, place) => openMenu({ ...frame, mapping: '', path: undefined }, place)}
          />
        )}
        {show === 'instructions' && <InstructionsView source={source} view={view} table={table} top={top} />}
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
      {(hasBoxes || show === 'tree' || isInTime) && <DetailBar tree={tree} node={detailed} focused={focused} />}
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
