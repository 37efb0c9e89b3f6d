// Keyboard navigation between events: along a thread and to other threads.
import type { EventPlace } from './timeline-hit.ts'
import type { MarkedRange } from './timeline-paint.ts'
import type { TimelineScene } from './timeline-scene.ts'

type Shown = Pick<TimelineScene, 'lanes' | 'rows' | 'span'>
export type Direction = 1 | -1

/** The next event in a direction. Without a current event, the first or last visible event of the first thread. */
export function stepAlong(
  { lanes, rows, span }: Shown,
  from: EventPlace | undefined,
  direction: Direction,
): EventPlace | undefined {
  const thread = from?.thread ?? rows.threads[0]
  if (thread === undefined) return undefined
  const edge = direction === 1 ? span.left : span.left + span.width
  const event = from === undefined ? lanes.eventAt(thread, edge, Infinity) : lanes.beside(thread, from.event, direction)
  return event < 0 ? undefined : { thread, event }
}

/** The event of the thread above or below at the same time. */
export function stepAcross(
  { lanes, rows, span }: Shown,
  from: EventPlace | undefined,
  direction: Direction,
): EventPlace | undefined {
  const thread = rows.threads[from === undefined ? 0 : rows.threads.indexOf(from.thread) + direction]
  if (thread === undefined) return undefined
  const time = from === undefined ? span.left : lanes.events.start[from.event]
  const event = lanes.eventAt(thread, time, Infinity)
  return event < 0 ? undefined : { thread, event }
}

/** A range extended to include two events and their threads. */
export function grownRange(
  { lanes }: Shown,
  range: MarkedRange | undefined,
  from: EventPlace,
  to: EventPlace,
): MarkedRange {
  const { start, duration } = lanes.events
  const ends = [from, to].flatMap(({ event }) => [start[event], start[event] + duration[event]])
  return {
    from: Math.min(...ends, range?.from ?? Infinity),
    until: Math.max(...ends, range?.until ?? -Infinity),
    threads: new Set([...(range?.threads ?? []), from.thread, to.thread]),
  }
}
