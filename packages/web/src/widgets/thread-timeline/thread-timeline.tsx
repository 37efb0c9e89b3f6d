// The activity of every thread, one lane each: running and waiting times, with spans, logs and metrics of the same
// time. The profile of a selected range is shown below.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ProfileSource, TimelineEvents } from '../../api/profile-source.ts'
import type { MarkedRange } from '../../draw/timeline/timeline-paint.ts'
import type { TimelineHit, TimelineView } from '../../draw/timeline/timeline-view.ts'
import type { Span } from '../../draw/flame-graph/viewport.ts'
import { zoomed } from '../../draw/flame-graph/viewport.ts'
import type { LanesView } from '../../address/lanes-view.ts'
import { LANE_PARTS } from '../../address/lanes-view.ts'
import { documentedKeys, useCommands } from '../../state/commands.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { formatSpan, parseSpan } from '../../address/time-span.ts'
import type { TimeSpan } from '../../address/time-span.ts'
import type { View } from '../../address/view.ts'
import { Failure } from '../failure.tsx'
import { Progress } from '../controls/progress.tsx'
import { NoTimes } from '../time-view/no-times.tsx'
import { EventBar } from './event-bar.tsx'
import { RangeBar } from './range-bar.tsx'
import { TimelineBar } from './timeline-bar.tsx'
import { TimelineCanvas } from './timeline-canvas.tsx'
import { TimelineNotes } from './timeline-notes.tsx'
import { useOverlays } from './use-overlays.ts'
import './thread-timeline.css'

export interface ThreadTimelineProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  /** The tabs of all views. */
  readonly tabs: ComponentChildren
  /** Renders the profile of a part. */
  readonly renderPart: (source: ProfileSource, view: View, onView: ThreadTimelineProps['onView']) => JSX.Element
  readonly empty: ComponentChildren
  /** Sets the query to a time range; undefined without a query. */
  readonly onTime?: ((span: TimeSpan) => void) | undefined
}

/** The pause after which zooming counts as finished. */
const SETTLED_MS = 250

/** Keys that the focused drawing handles itself. */
const KEYS: readonly (readonly [string, readonly string[]])[] = [
  ['Next or previous event', ['ArrowLeft', 'ArrowRight']],
  ['Next or previous thread', ['ArrowUp', 'ArrowDown']],
  ['Extend the range', ['shift+ArrowLeft', 'shift+ArrowRight']],
  ['Add a thread to the range', ['shift+ArrowUp', 'shift+ArrowDown']],
  ['Clear the range', ['Escape']],
  ['Zoom in and out (also Ctrl and wheel)', ['W', 'S']],
  ['Pan', ['A', 'D']],
  ['Zoom to the range or the event', ['f']],
  ['Show the whole time', ['0']],
  ['Open the flame chart of the thread', ['Enter']],
]

export function ThreadTimeline(props: ThreadTimelineProps): JSX.Element {
  const { source, view, onView, tabs, renderPart, empty, onTime } = props
  const { lanes } = view
  const loaded = useLoaded(`${source.key}:events:${lanes.kind}`, signal => source.events(lanes.kind, signal))
  const events = loaded.value
  const span = useMemo(() => events && spanOf(events, view.span), [events, view.span])
  const others = useOverlays(source, events, span, lanes.metrics)
  const [drawing, setDrawing] = useState<TimelineView | undefined>(undefined)
  const [isMarking, setMarking] = useState(false)
  const [hiddenSpans, setHiddenSpans] = useState(0)
  const hovered = useSignal<TimelineHit | undefined>(undefined)
  const selected = useSignal<TimelineHit | undefined>(undefined)
  const latest = useRef({ view, onView })
  latest.current = { view, onView }
  const settle = useSettled()
  const ownSpan = useRef('')
  // Restores the position when the user comes back to the timeline.
  useLayoutEffect(() => {
    ownSpan.current = view.span
  }, [view.span])
  useCommands(() => documentedKeys('Threads (focused)', KEYS), [])
  const setLanes = (next: LanesView, how?: 'push' | 'replace'): void => onView({ ...view, lanes: next }, how)
  useLayoutEffect(() => {
    selected.value = undefined
    hovered.value = undefined
  }, [events])
  useLayoutEffect(() => setHiddenSpans(drawing?.rows.hiddenSpans ?? 0), [drawing, others.overlays, lanes])

  const { range, threads, type } = lanes
  const ranged = useMemo(
    () => events && markedRange(events, range, threads),
    [events, range?.from, range?.until, threads],
  )
  const part = useMemo(
    () => (range === undefined ? undefined : partOf(source, range, threads, type)),
    [source, range?.from, range?.until, threads.join('\n'), type],
  )

  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const isNothing = events !== undefined && events.length === 0 && !loaded.loading
  const onSpan = (next: Span): void => {
    settle(() => {
      if (events === undefined) return
      const text = spanText(events, next)
      ownSpan.current = text
      if (text !== latest.current.view.span) latest.current.onView({ ...latest.current.view, span: text }, 'replace')
    })
  }
  const onRange = (marked: MarkedRange | undefined): void => {
    if (events === undefined) return
    const now = latest.current.view
    const keys = marked === undefined ? [] : [...marked.threads].map(thread => events.threads[thread].key)
    const chosen = marked && parseSpan(formatSpan(events.origin, marked.from, marked.until))
    latest.current.onView({ ...now, lanes: { ...now.lanes, range: chosen, threads: keys } })
  }
  const onOpen = ({ row }: TimelineHit): void => {
    if (events !== undefined && row.thread >= 0)
      onView({ ...view, show: 'time', thread: events.threads[row.thread].key })
  }
  const whole = events?.whole ?? 1
  return (
    <section class="profile-view thread-timeline" aria-label="Threads">
      <div class="bar view-toolbar" data-rove>
        {tabs}
      </div>
      {isNothing && (events.coverage.profiles === 0 ? <>{empty}</> : <NoTimes isFile={source.query === undefined} />)}
      {events !== undefined && !isNothing && (
        <>
          <TimelineBar
            events={events}
            lanes={lanes}
            onLanes={setLanes}
            metrics={others.metrics}
            isMarking={isMarking}
            onMarking={setMarking}
            onZoom={factor => drawing?.look(zoomed(drawing.span, whole, 0.5, factor))}
            onAll={() => drawing?.look({ left: 0, width: whole })}
          />
          <TimelineNotes
            events={events}
            hiddenSpans={hiddenSpans}
            others={others.notes}
            onNarrow={onTime && (() => onTime(shownTime(events, drawing)))}
          />
        </>
      )}
      <div class={`timeline-body${loaded.slow ? ' stale' : ''}`} hidden={isNothing}>
        <Progress of={loaded} what="Loading events" />
        {events !== undefined && !isNothing && (
          <TimelineCanvas
            events={events}
            overlays={others.overlays}
            lanes={lanes}
            span={span}
            isOwnSpan={view.span === ownSpan.current}
            range={ranged}
            isMarking={isMarking}
            hovered={hovered}
            selected={selected}
            onOpen={onOpen}
            onSpan={onSpan}
            onRange={onRange}
            onReady={setDrawing}
          />
        )}
      </div>
      {events !== undefined && !isNothing && (
        <EventBar events={events} hovered={hovered} selected={selected} hasTraces={source.query !== undefined} />
      )}
      {events !== undefined && range !== undefined && part !== undefined && !isNothing && (
        <>
          <RangeBar source={source} events={events} lanes={lanes} range={range} onLanes={setLanes} />
          <div class="timeline-part">
            {renderPart(part, { ...view, show: lanes.part }, (next, how) =>
              onView({ ...next, show: 'threads', lanes: { ...lanes, part: shownPart(next.show) } }, how),
            )}
          </div>
        </>
      )}
    </section>
  )
}

/** Runs the last call after a pause. */
function useSettled(): (run: () => void) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useLayoutEffect(() => () => clearTimeout(timer.current), [])
  return run => {
    clearTimeout(timer.current)
    timer.current = setTimeout(run, SETTLED_MS)
  }
}

function markedRange(
  events: TimelineEvents,
  range: TimeSpan | undefined,
  keys: readonly string[],
): MarkedRange | undefined {
  if (range === undefined) return undefined
  const chosen = new Set(keys)
  const threads = events.threads.flatMap(({ key }, t) => (chosen.has(key) ? [t] : []))
  return {
    from: Number(range.from - events.origin),
    until: Number(range.until - events.origin),
    threads: new Set(threads),
  }
}

function partOf(
  source: ProfileSource,
  { from, until }: TimeSpan,
  threads: readonly string[],
  type: string,
): ProfileSource {
  const of = type === '' ? source : source.ofType(type)
  return of.within({ from, until, ...(threads.length === 0 ? {} : { threads }) })
}

function spanOf({ origin }: TimelineEvents, text: string): Span | undefined {
  const span = parseSpan(text)
  return span && { left: Number(span.from - origin), width: Number(span.until - span.from) }
}

function spanText({ origin, whole }: TimelineEvents, { left, width }: Span): string {
  return left <= 0 && width >= whole ? '' : formatSpan(origin, left, left + width)
}

function shownTime(events: TimelineEvents, drawing: TimelineView | undefined): TimeSpan {
  const { left, width } = drawing?.span ?? { left: 0, width: events.whole }
  const from = events.origin + BigInt(Math.floor(left))
  return { from, until: from + BigInt(Math.ceil(width)) }
}

function shownPart(show: View['show']): LanesView['part'] {
  return LANE_PARTS.find(each => each === show) ?? 'both'
}
