// A FlameScope heat map of sample times below the second. The profile of the selected range, or the comparison of two
// ranges, is shown below.
import type { ComponentChildren, JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { FrameName, HeatMapResponse, Part, ProfileSource } from '../../api/profile-source.ts'
import type { HeatRange, HeatView } from '../../address/heat-view.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { Shown, View } from '../../address/view.ts'
import { ComparisonView } from '../comparison-view/comparison-view.tsx'
import { Failure } from '../failure.tsx'
import { Icon } from '../controls/icon.tsx'
import { Progress } from '../controls/progress.tsx'
import { NoTimes } from '../time-view/no-times.tsx'
import { COLUMN_NANOS, HeatBar } from './heat-bar.tsx'
import { HeatMap } from './heat-map.tsx'
import { amountText, rangeText } from './heat-text.ts'
import { sumsIn } from './sums-in.ts'
import './heat-map.css'

export interface HeatMapViewProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  /** The tabs of all views. */
  readonly tabs: ComponentChildren
  /** Renders the profile of a part. */
  readonly renderPart: (source: ProfileSource, view: View, onView: HeatMapViewProps['onView']) => JSX.Element
  readonly empty: ComponentChildren
  /** Opens the traces with samples of a function; undefined without a server. */
  readonly onTraces?: ((of: FrameName) => void) | undefined
}

export function HeatMapView(props: HeatMapViewProps): JSX.Element {
  const { source, view, onView, tabs, renderPart, empty, onTraces } = props
  const { heat } = view
  const choice = { column: COLUMN_NANOS[heat.column], rows: heat.rows, busy: heat.busy }
  const loaded = useLoaded(`${source.key}:heat:${heat.column}:${heat.rows}:${heat.busy}`, signal =>
    source.heatMap(choice, signal),
  )
  const setHeat = (next: HeatView, how?: 'push' | 'replace'): void => onView({ ...view, heat: next }, how)
  const { value: map } = loaded
  const { before, after, busy } = heat
  const range = heat.range ?? (map === undefined ? undefined : wholeOf(map))
  const part = useMemo(
    () => (range === undefined ? undefined : source.within(partOf(range, busy))),
    [source, range?.from, range?.until, busy],
  )
  const isCompared = before !== undefined && after !== undefined
  const comparison = useMemo(
    () => (isCompared ? source.compare(partOf(before, busy), partOf(after, busy)) : undefined),
    [source, before?.from, before?.until, after?.from, after?.until, busy],
  )
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  return (
    <section class="profile-view heat-view" aria-label="Heat map">
      <div class="bar view-toolbar" data-rove>
        {tabs}
      </div>
      <HeatBar map={map} heat={heat} onHeat={setHeat} />
      <div class={`heat-body${loaded.slow ? ' stale' : ''}`}>
        <Progress of={loaded} what="Loading timestamps" />
        {map !== undefined && map.columns === 0 && !loaded.loading && (
          <Nothing source={source} busy={busy} empty={empty} />
        )}
        {map !== undefined && map.columns > 0 && (
          <HeatMap
            map={map}
            heat={heat}
            startsAt={source.query === undefined ? 'oldest' : 'newest'}
            onRange={next => setHeat({ ...heat, range: next }, 'replace')}
          />
        )}
      </div>
      {map !== undefined && map.columns > 0 && <RangeBar map={map} heat={heat} onHeat={setHeat} />}
      {map !== undefined && map.columns > 0 && (
        <div class="heat-part">
          {comparison !== undefined ? (
            <ComparisonView
              source={comparison}
              comparison={{ shows: heat.diff, absolute: heat.absolute, filter: heat.filter, sort: heat.order }}
              onComparison={({ shows, absolute, filter, sort }, how) =>
                setHeat({ ...heat, diff: shows, absolute, filter, order: sort }, how)
              }
              view={view}
              onView={onView}
              onTraces={onTraces}
              empty={<p class="reading">No samples in either range.</p>}
            />
          ) : (
            part !== undefined &&
            renderPart(part, { ...view, show: heat.part }, (next, how) =>
              onView({ ...next, show: 'heat', heat: { ...heat, part: partShown(next.show) } }, how),
            )
          )}
        </div>
      )}
    </section>
  )
}

/** The range of all cells. */
function wholeOf({ origin, columns, column }: HeatMapResponse): HeatRange {
  return { from: origin, until: origin + BigInt(columns) * column }
}

function partOf({ from, until }: HeatRange, busy: boolean): Part {
  return { from, until, ...(busy ? { busy } : {}) }
}

function partShown(show: Shown): HeatView['part'] {
  return show === 'flame' || show === 'table' || show === 'sandwich' || show === 'lines' ? show : 'both'
}

interface RangeBarProps {
  readonly map: HeatMapResponse
  readonly heat: HeatView
  readonly onHeat: (heat: HeatView) => void
}

function RangeBar({ map, heat, onHeat }: RangeBarProps): JSX.Element {
  const { range, before, after } = heat
  const sums = range && sumsIn(map, range)
  return (
    <div class="bar heat-ranges">
      {range === undefined ? (
        <span class="muted">No range selected: all cells</span>
      ) : (
        <span>
          <b class="number">{rangeText(map, range)}</b>{' '}
          {sums !== undefined && <span class="muted">{amountText(map, sums.count, sums.value)}</span>}
        </span>
      )}
      <button
        type="button"
        onClick={() => onHeat({ ...heat, range: wholeOf(map), before: undefined, after: undefined })}
      >
        Whole profile
      </button>
      <button type="button" disabled={range === undefined} onClick={() => onHeat({ ...heat, before: range })}>
        Use as A
      </button>
      <button type="button" disabled={range === undefined} onClick={() => onHeat({ ...heat, after: range })}>
        Use as B
      </button>
      <span class="spring" />
      <Chosen letter="A" map={map} range={before} onClear={() => onHeat({ ...heat, before: undefined })} />
      <Chosen letter="B" map={map} range={after} onClear={() => onHeat({ ...heat, after: undefined })} />
      {(before === undefined) !== (after === undefined) && (
        <span class="muted">select a range for {before === undefined ? 'A' : 'B'}</span>
      )}
    </div>
  )
}

interface ChosenProps {
  readonly letter: 'A' | 'B'
  readonly map: HeatMapResponse
  readonly range: HeatRange | undefined
  readonly onClear: () => void
}

function Chosen({ letter, map, range, onClear }: ChosenProps): JSX.Element | undefined {
  if (range === undefined) return undefined
  return (
    <span class={`chip heat-chosen-${letter}`}>
      <span>
        <b>{letter}</b> {rangeText(map, range)}
      </span>
      <button type="button" class="icon plain" aria-label={`Clear ${letter}`} onClick={onClear}>
        <Icon name="close" />
      </button>
    </span>
  )
}

interface NothingProps {
  readonly source: ProfileSource
  readonly busy: boolean
  readonly empty: ComponentChildren
}

/** There are no profiles, or they have no timestamps. */
function Nothing({ source, busy, empty }: NothingProps): JSX.Element {
  const loaded = useLoaded(busy ? undefined : `${source.key}:root-first`, signal => source.tree('root-first', signal))
  if (busy) return <p class="reading">All samples are idle. Clear “Hide idle” to see them.</p>
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  if (loaded.value === undefined) return <Progress of={loaded} what="Loading profiles" />
  return loaded.value.profiles === 0 ? <>{empty}</> : <NoTimes isFile={source.query === undefined} />
}
