// What is at a place of a timeline.
import type { LogMark, SpanMark, TimelineRow } from './timeline-rows.ts'
import { SPAN_HEIGHT, rowAt } from './timeline-rows.ts'
import type { TimelineScene } from './timeline-scene.ts'
import { GUTTER, HEAD_HEIGHT, placeOf, timeAt } from './timeline-scene.ts'

export interface TimelineHit {
  readonly row: TimelineRow
  /** Nanoseconds from the origin. */
  readonly time: number
  /** Row of the event there; -1 where there is none. */
  readonly event: number
  readonly span: SpanMark | undefined
  readonly log: LogMark | undefined
  /** CSS pixels of the host element. */
  readonly x: number
  readonly y: number
}

/** An event of a thread, by their rows. */
export interface EventPlace {
  readonly thread: number
  readonly event: number
}

type Place = Pick<TimelineScene, 'lanes' | 'rows' | 'span' | 'scroll' | 'width'>

/** In pixels, around the pointer. */
const SLACK = 3

/** In CSS pixels of the host element. */
export function hitAt(place: Place, x: number, y: number): TimelineHit | undefined {
  const { lanes, rows, span, scroll, width } = place
  if (x < GUTTER || y < HEAD_HEIGHT) return undefined
  const row = rowAt(rows, y - HEAD_HEIGHT + scroll)
  if (row === undefined) return undefined
  const time = timeAt(place, x)
  const slack = (SLACK * span.width) / (width - GUTTER)
  const level = Math.floor((y - HEAD_HEIGHT + scroll - row.top - 1) / SPAN_HEIGHT)
  const over = row.spans.find(
    ({ span: each, level: at }) =>
      at === level && time >= each.start - slack && time <= each.start + each.duration + slack,
  )?.span
  const event = row.thread < 0 || over !== undefined ? -1 : lanes.eventAt(row.thread, time, slack)
  const log = over === undefined ? nearest(row.logs, time, slack * 1.5) : undefined
  return { row, time, event, span: over, log, x, y }
}

/** Of those that are as near the last, which is drawn over the others. */
function nearest(logs: readonly LogMark[], time: number, slack: number): LogMark | undefined {
  let found: LogMark | undefined
  let least = slack
  for (const log of logs) {
    const distance = Math.abs(log.time - time)
    if (distance > least) continue
    least = distance
    found = log
  }
  return found
}

/** The same of an event, where it begins or comes into sight. Undefined where its thread is not shown. */
export function hitOf(place: Place, { thread, event }: EventPlace): TimelineHit | undefined {
  const row = place.rows.list.find(each => each.thread === thread)
  if (row === undefined) return undefined
  const time = place.lanes.events.start[event]
  const x = Math.max(GUTTER, placeOf(place, time))
  const y = HEAD_HEIGHT + row.top - place.scroll + row.height / 2
  return { row, time, event, span: undefined, log: undefined, x, y }
}
