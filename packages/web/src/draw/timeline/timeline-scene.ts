// The input of painting a timeline, and conversions between times and positions.
import type { TimelineColours } from './timeline-colours.ts'
import type { Lanes } from './timeline-lanes.ts'
import type { Rows } from './timeline-rows.ts'
import type { TickClock } from '../time-ticks.ts'
import type { Span } from '../flame-graph/viewport.ts'

export const OVERVIEW_HEIGHT = 36
export const RULER_HEIGHT = 20
/** The height of the part that does not scroll. */
export const HEAD_HEIGHT = OVERVIEW_HEIGHT + RULER_HEIGHT

/** Sizes are CSS pixels, times are nanoseconds from the origin. */
export interface TimelineScene {
  readonly lanes: Lanes
  readonly rows: Rows
  readonly colours: TimelineColours
  readonly span: Span
  readonly whole: number
  readonly scroll: number
  readonly width: number
  readonly height: number
  readonly ratio: number
  readonly fontFamily: string
  /** Shows times of day. */
  readonly clock: TickClock | undefined
  /** The load in each part of the whole time, 0 to 1. */
  readonly overview: Float32Array
}

/** The width of the column with the names of threads. On a phone, the time gets most of the width. */
export function gutterOf(width: number): number {
  return width < 600 ? 112 : 208
}

/** The position of a time, in CSS pixels. */
export function xOfTime({ span, width }: Pick<TimelineScene, 'span' | 'width'>, time: number): number {
  const gutter = gutterOf(width)
  return gutter + ((time - span.left) / span.width) * (width - gutter)
}

/** The time at a position. Positions in the gutter give the time at its edge. */
export function timeAt({ span, width }: Pick<TimelineScene, 'span' | 'width'>, x: number): number {
  return span.left + partAt(width, x) * span.width
}

/** A position between the edges as a fraction, 0 to 1. */
export function partAt(width: number, x: number): number {
  const gutter = gutterOf(width)
  return Math.max(0, (x - gutter) / Math.max(1, width - gutter))
}
