// Profiles, whatever they come from, in every way there is to look at them.
import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { FrameName, ProfileSource, TopColumns } from '../../api/profile-source.ts'
import type { FlameGraphHit, FlameGraphView } from '../../draw/flame-graph-view.ts'
import { HEAT_PARTS } from '../../address/heat-view.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { findPath } from '../../tree/node-path.ts'
import { nextMatch } from '../../tree/search.ts'
import { topRows } from '../../tree/top.ts'
import type { Tree } from '../../tree/tree.ts'
import { ROOT } from '../../tree/tree.ts'
import type { TimeSpan } from '../../address/time-span.ts'
import type { Shown, View } from '../../address/view.ts'
import { SHOWN } from '../../address/view.ts'
import { DetailBar } from '../detail-bar.tsx'
import { Failure } from '../failure.tsx'
import type { FlameGraphProps } from '../flame-graph.tsx'
import { FlameGraph } from '../flame-graph.tsx'
import { lazy } from '../lazy.tsx'
import { Menu } from '../menu.tsx'
import { Progress } from '../progress.tsx'
import { TimeView } from '../time-view/time-view.tsx'
import { TopTable } from '../top-table.tsx'
import { ExportMenu } from './export-menu.tsx'
import type { ActionTarget } from './frame-actions.ts'
import { frameActions } from './frame-actions.ts'
import { LinesView } from './lines-view.tsx'
import { PathBar } from './path-bar.tsx'
import { SandwichView } from './sandwich-view.tsx'
import { useShowCommands, useViewCommands } from './use-view-commands.ts'
import { orderFor, useSearched, useShownTree } from './use-shown-tree.ts'
import { ViewTabs, ViewToolbar } from './view-toolbar.tsx'
import './profile-view.css'

const HeatMapView = lazy(async () => (await import('../heat-map/heat-map-view.tsx')).HeatMapView)
const ThreadTimeline = lazy(async () => (await import('../thread-timeline/thread-timeline.tsx')).ThreadTimeline)

export interface ProfileViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  /** Adds a function to the query; undefined where there is none. */
  readonly onFilter?: (name: string, keep: boolean) => void
  /** Goes to the traces in which a function was seen; undefined where there is no server to ask. */
  readonly onTraces?: (name: string) => void
  /** Asks about nothing but a time; undefined where there is no query. */
  readonly onTime?: ((span: TimeSpan) => void) | undefined
  /** Of files that are saved. */
  readonly name: string
  /** Shown where there is not one sample. */
  readonly empty: ComponentChildren
  readonly shows?: readonly Shown[]
}

interface OpenMenu {
  readonly target: ActionTarget
  readonly x: number
  readonly y: number
}

export function ProfileView(props: ProfileViewProps): JSX.Element {
  const { source, view, onView, onTime, empty, shows = SHOWN } = props
  const isOfTimes = shows.includes(view.show) && (view.show === 'heat' || view.show === 'threads')
  useShowCommands(isOfTimes ? shows : [], show => onView({ ...view, show }))
  if (!isOfTimes) {
    return <CallsView {...props} shows={shows} />
  }
  const Times = view.show === 'heat' ? HeatMapView : ThreadTimeline
  return (
    <Times
      source={source}
      view={view}
      onView={onView}
      onTime={onTime}
      tabs={<ViewTabs view={view} onView={onView} shows={shows} />}
      renderPart={(part, partView, onPartView) => (
        <CallsView {...props} source={part} view={partView} onView={onPartView} shows={HEAT_PARTS} empty={NO_SAMPLES} />
      )}
      empty={empty}
    />
  )
}

const NO_SAMPLES = <p class="reading">The range has no samples.</p>

interface CallsViewProps extends ProfileViewProps {
  readonly shows: readonly Shown[]
}

/** The calls that profiles hold: as graphs, as tables, in the order of time. */
function CallsView(props: CallsViewProps): JSX.Element {
  const { source, view, onView, onFilter, onTraces, name, empty, shows } = props
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

  const [menu, setMenu] = useState<OpenMenu | undefined>(undefined)
  const [graph, setGraph] = useState<FlameGraphView | undefined>(undefined)
  const searchField = useRef<HTMLInputElement>(null)
  const hovered = useSignal<number | undefined>(undefined)
  const selected = useSignal<number | undefined>(undefined)
  const detailed = useComputed(() => hovered.value ?? selected.value)
  const markedName = useSignal<string | undefined>(undefined)
  const markedFrame = useSignal<number | undefined>(undefined)

  const context = { view, onView, onFilter, onTraces, hasSandwich: shows.includes('sandwich') }
  const targetOfSelected = (): ActionTarget | undefined => {
    const node = selected.peek()
    return tree === undefined || node === undefined || node === ROOT ? undefined : targetAt(tree, node)
  }
  useViewCommands({ context, shows, searchField, targetOfSelected, onNext: direction => goOn(direction) })

  const goOn = (direction: 1 | -1): void => {
    if (tree === undefined || result === undefined || graph === undefined) return
    const next = nextMatch(tree, result.matches, graph.selected, direction, graph.focused)
    if (next === undefined) return
    graph.select(next)
    graph.reveal(next)
    selected.value = next
  }
  const onHover = (hit: FlameGraphHit | undefined): void => {
    hovered.value = hit?.node
    markedName.value = hit === undefined || hit.frame < 0 ? undefined : tree?.frames.name[hit.frame]
  }
  const onMark = (frame: FrameName | undefined): void => {
    markedName.value = frame?.name
    markedFrame.value = frame === undefined ? undefined : tree && frameOf(tree, frame)
  }
  const openMenu = (target: ActionTarget, x: number, y: number): void => setMenu({ target, x, y })
  const onGraphMenu: NonNullable<FlameGraphProps['onMenu']> = (hit, { x, y }) => {
    if (tree !== undefined && hit.node !== ROOT) openMenu(targetAt(tree, hit.node, hit.path), x, y)
  }

  if (loadedTree.error !== undefined && !loadedTree.loading) {
    return <Failure error={loadedTree.error} onRetry={loadedTree.retry} />
  }
  const { value: answer } = loadedSums
  if (!isInTime && answer !== undefined && answer.tree.length === 0 && !loadedSums.loading) return <>{empty}</>

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
      onMenu={(frame, { x, y }) => openMenu({ ...frame, mapping: '', path: undefined }, x, y)}
    />
  )
  const focused = tree === undefined || isInTime ? ROOT : findPath(tree, view.focus).node
  return (
    <section class="profile-view" aria-label="Profile">
      <ViewToolbar
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
          hiddenSelf={answer?.hiddenSelf ?? 0n}
          missing={answer?.missing}
          sum={answer?.tree.sum ?? 0n}
        />
      )}
      <div class={`profile-body shows-${show}${loadedTree.slow ? ' stale' : ''}`}>
        <Progress of={loadedTree} what="Reading profiles" />
        {(show === 'both' || show === 'table') && <div class="profile-table">{table}</div>}
        {(show === 'both' || show === 'flame') && (
          <div class="profile-graph">
            <FlameGraph
              tree={tree}
              label={view.inverted ? 'Inverted flame graph' : 'Flame graph'}
              orientation={view.upwards ? 'flame' : 'icicle'}
              colourBy={view.colour}
              palette={view.colourBlind ? 'colour-blind' : 'standard'}
              matches={result?.matches}
              focus={view.focus}
              marked={markedFrame}
              onHover={onHover}
              onSelect={hit => (selected.value = hit?.node)}
              onMenu={onGraphMenu}
              onFocus={change =>
                onView(
                  { ...view, focus: change.path },
                  change.by === 'wheel' || change.by === 'drag' ? 'replace' : 'push',
                )
              }
              onReady={setGraph}
            />
          </div>
        )}
        {show === 'sandwich' && (
          <SandwichView source={source} view={view} onView={onView} table={table} onMenu={openMenu} top={top} />
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
              Ask again
            </button>
          </p>
        )}
      </div>
      {(show === 'both' || show === 'flame' || isInTime) && <DetailBar tree={tree} node={detailed} focused={focused} />}
      {menu !== undefined && (
        <Menu
          title={menu.target.name}
          x={menu.x}
          y={menu.y}
          items={frameActions(menu.target, context)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </section>
  )
}

function targetAt(tree: Tree, node: number, path?: readonly string[]): ActionTarget {
  const frame = tree.frame[node]
  const { name, file, mapping } = tree.frames
  return { name: name[frame], file: file[frame], mapping: mapping[frame], path: path ?? pathTo(tree, node) }
}

function pathTo(tree: Tree, node: number): string[] {
  const path: string[] = []
  for (let i = node; i !== ROOT; i = tree.parent[i]) path.unshift(tree.frames.name[tree.frame[i]])
  return path
}

function frameOf({ frames }: Tree, { name, file }: FrameName): number | undefined {
  const exact = frames.name.findIndex((each, i) => each === name && frames.file[i] === file)
  const found = exact >= 0 ? exact : frames.name.indexOf(name)
  return found < 0 ? undefined : found
}

function topOfTree(tree: Tree): TopColumns {
  const { length, frames, frame, unit, after } = topRows(tree)
  return { length, frames, frame, unit, self: after.self, total: after.total, sum: after.sum, allFrames: length }
}
