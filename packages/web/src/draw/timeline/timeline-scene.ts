// What a timeline is painted of, and where things are on it.
import type { TimelineColours } from './timeline-colours.ts'
import type { Lanes } from './timeline-lanes.ts'
import type { Rows } from './timeline-rows.ts'
import type { Span } from '../flame-graph/viewport.ts'

export const GUTTER = 208
export const OVERVIEW_HEIGHT = 36
export const RULER_HEIGHT = 20
/** What stays where it is when rows scroll. */
export const HEAD_HEIGHT = OVERVIEW_HEIGHT + RULER_HEIGHT

/** Everything in CSS pixels, times in nanoseconds from the origin. */
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
  /** How much runs in each part of the whole time, 0 to 1. */
  readonly overview: Float32Array
}

/** Where a time is, in CSS pixels. */
export function placeOf({ span, width }: Pick<TimelineScene, 'span' | 'width'>, time: number): number {
  return GUTTER + ((time - span.left) / span.width) * (width - GUTTER)
}

/** The time at a place; of the gutter that at its edge. */
export function timeAt({ span, width }: Pick<TimelineScene, 'span' | 'width'>, x: number): number {
  return span.left + partAt(width, x) * span.width
}

/** How far a place is between the edges, from 0 to 1. */
export function partAt(width: number, x: number): number {
  return Math.max(0, (x - GUTTER) / Math.max(1, width - GUTTER))
}
