// The lanes as a component: passes events and choices to the drawing, and reports pointer and key events.
import type { Signal } from '@preact/signals'
import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { TimelineEvents } from '../../api/profile-source.ts'
import type { MarkedRange } from '../../draw/timeline/timeline-paint.ts'
import type { Overlays } from '../../draw/timeline/timeline-rows.ts'
import type { TimelineHit } from '../../draw/timeline/timeline-view.ts'
import { TimelineView } from '../../draw/timeline/timeline-view.ts'
import type { Span } from '../../draw/flame-graph/viewport.ts'
import type { LanesView } from '../../address/lanes-view.ts'
import { theme } from '../../state/theme.ts'
import { clockOf } from '../times-switch.tsx'
import { describeEvent } from './describe-event.ts'

export interface TimelineCanvasProps {
  readonly events: TimelineEvents
  readonly overlays: Overlays
  readonly lanes: LanesView
  /** The visible span in the address; undefined for the whole time. */
  readonly span: Span | undefined
  /** Whether the drawing itself set this span, and can have left it again. */
  readonly isOwnSpan: boolean
  readonly range: MarkedRange | undefined
  readonly isMarking: boolean
  readonly hovered: Signal<TimelineHit | undefined>
  readonly selected: Signal<TimelineHit | undefined>
  readonly onOpen: (hit: TimelineHit) => void
  readonly onSpan: (span: Span) => void
  readonly onRange: (range: MarkedRange | undefined) => void
  readonly onReady: (view: TimelineView | undefined) => void
}

const LABEL =
  'Threads over time. Arrow keys move between events and threads, with Shift they select a range. W and S zoom, A and D pan, Enter opens the thread.'

export function TimelineCanvas(props: TimelineCanvasProps): JSX.Element {
  const { events, overlays, lanes, span, range, isMarking, hovered, selected } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<TimelineView | undefined>(undefined)
  const latest = useRef(props)
  latest.current = props
  const [said, setSaid] = useState('')
  useLayoutEffect(() => {
    const element = host.current!
    const fontFamily = getComputedStyle(element).fontFamily
    const made = new TimelineView(
      element,
      { theme: theme.peek(), fontFamily, label: LABEL },
      {
        onHover: hit => (hovered.value = hit),
        onSelect: hit => (selected.value = hit),
        onOpen: hit => latest.current.onOpen(hit),
        onViewChange: next => latest.current.onSpan(next),
        onRange: (next, isDone) => isDone && latest.current.onRange(next),
        onAnnounce: setSaid,
      },
    )
    view.current = made
    latest.current.onReady(made)
    return () => {
      view.current = undefined
      latest.current.onReady(undefined)
      made.destroy()
    }
  }, [])
  const without = lanes.hiddenTypes.join('\n')
  useLayoutEffect(() => {
    const hides = (kind: number): boolean => lanes.hiddenTypes.includes(events.kinds[kind].type)
    view.current?.setEvents(events, hides, (thread, event) => describeEvent(events, thread, event))
  }, [events, without])
  const { sort, find, hidden } = lanes
  useLayoutEffect(
    () => view.current?.setRows({ sort, search: find, hidden: new Set(hidden) }, overlays),
    [events, overlays, sort, find, hidden.join('\n')],
  )
  const looked = useRef<TimelineEvents | undefined>(undefined)
  useLayoutEffect(() => {
    if (props.isOwnSpan && looked.current === events) return
    looked.current = events
    view.current?.look(span ?? { left: 0, width: events.whole })
  }, [events, span?.left, span?.width])
  useLayoutEffect(() => view.current?.setRange(range), [events, range])
  useLayoutEffect(() => view.current?.setMarking(isMarking), [isMarking])
  useSignalEffect(() => view.current?.setTheme(theme.value))
  useSignalEffect(() => view.current?.setClock(clockOf(latest.current.events.origin)))
  useLayoutEffect(() => view.current?.setClock(clockOf(events.origin)), [events])
  return (
    <>
      <div class="timeline-host" ref={host} role="group" aria-label="Timeline of threads" />
      <p class="visually-hidden" aria-live="polite">
        {said}
      </p>
    </>
  )
}
