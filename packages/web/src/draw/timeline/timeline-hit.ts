// Finds the row, event and marks at a position of a timeline.
import type { LogMark, SpanMark, TimelineRow } from './timeline-rows.ts'
import { SPAN_HEIGHT, rowAt } from './timeline-rows.ts'
import type { TimelineScene } from './timeline-scene.ts'
import { gutterOf, HEAD_HEIGHT, xOfTime, timeAt } from './timeline-scene.ts'

export interface TimelineHit {
  readonly row: TimelineRow
  /** Nanoseconds from the origin. */
  readonly time: number
  /** The row of the event there, or -1. */
  readonly event: number
  readonly span: SpanMark | undefined
  readonly log: LogMark | undefined
  /** CSS pixels of the host element. */
  readonly x: number
  readonly y: number
}

/** An event and its thread, by their rows. */
export interface EventPlace {
  readonly thread: number
  readonly event: number
}

type HitArea = Pick<TimelineScene, 'lanes' | 'rows' | 'span' | 'scroll' | 'width'>

/** In pixels around the pointer. */
const SLACK = 3

/** Positions are CSS pixels of the host element. */
export function hitAt(area: HitArea, x: number, y: number): TimelineHit | undefined {
  const { lanes, rows, span, scroll, width } = area
  const gutter = gutterOf(width)
  if (x < gutter || y < HEAD_HEIGHT) return undefined
  const row = rowAt(rows, y - HEAD_HEIGHT + scroll)
  if (row === undefined) return undefined
  const time = timeAt(area, x)
  const slack = (SLACK * span.width) / (width - gutter)
  const level = Math.floor((y - HEAD_HEIGHT + scroll - row.top - 1) / SPAN_HEIGHT)
  const over = row.spans.find(
    ({ span: each, level: at }) =>
      at === level && time >= each.start - slack && time <= each.start + each.duration + slack,
  )?.span
  const event = row.thread < 0 || over !== undefined ? -1 : lanes.eventAt(row.thread, time, slack)
  const log = over === undefined ? nearest(row.logs, time, slack * 1.5) : undefined
  return { row, time, event, span: over, log, x, y }
}

/** Returns the nearest mark. Among equally near ones it returns the last, which is drawn on top. */
function nearest(logs: readonly LogMark[], time: number, slack: number): LogMark | undefined {
  let found: LogMark | undefined
  let minDistance = slack
  for (const log of logs) {
    const distance = Math.abs(log.time - time)
    if (distance > minDistance) continue
    minDistance = distance
    found = log
  }
  return found
}

/** The hit of an event at its start, or where it enters the window. Undefined if its thread is not shown. */
export function hitOf(area: HitArea, { thread, event }: EventPlace): TimelineHit | undefined {
  const row = area.rows.list.find(each => each.thread === thread)
  if (row === undefined) return undefined
  const time = area.lanes.events.start[event]
  const x = Math.max(gutterOf(area.width), xOfTime(area, time))
  const y = HEAD_HEIGHT + row.top - area.scroll + row.height / 2
  return { row, time, event, span: undefined, log: undefined, x, y }
}
