// The window on a flame graph: the visible part of its width and the scroll position, limited to the graph.

export interface Span {
  /** In the unit of the layout. */
  readonly left: number
  readonly width: number
}

/** The part of a layout that a frame draws. */
export interface Window {
  /** In the unit of the layout. */
  readonly left: number
  readonly right: number
  /** The first and last row, counted from the root. Both are shown. */
  readonly firstRow: number
  readonly lastRow: number
  /** The width of the window in pixels. Results are in pixels too. */
  readonly pixels: number
  /** Narrower boxes are merged. */
  readonly narrowest: number
}

/** At this zoom a double still places a box to a thousandth of a pixel. */
const MIN_SPAN = 1e-11

/** The nearest span inside of the whole. */
export function within({ left, width }: Span, whole: number): Span {
  const fits = Math.min(whole, Math.max(whole * MIN_SPAN, width))
  return { left: Math.max(0, Math.min(whole - fits, left)), width: fits }
}

/** Zooms in by `factor`. The place at `at` (0 to 1, from the left of the window) stays fixed. */
export function zoomed({ left, width }: Span, whole: number, at: number, factor: number): Span {
  const next = Math.min(whole, Math.max(whole * MIN_SPAN, width / factor))
  return within({ left: left + at * (width - next), width: next }, whole)
}

/** Moves the span by a fraction of its width. */
export function panned({ left, width }: Span, whole: number, by: number): Span {
  return within({ left: left + by * width, width }, whole)
}

/** A span between two others; part is 0 to 1. Edges move evenly, so boxes seem to grow out of their place. */
export function between(from: Span, to: Span, part: number): Span {
  if (part >= 1) return to
  const left = from.left + (to.left - from.left) * part
  const right = from.left + from.width + (to.left + to.width - from.left - from.width) * part
  return { left, width: right - left }
}

/** Fast at the start, as a reaction to a click, then slower. */
export function eased(part: number): number {
  return 1 - (1 - Math.min(1, Math.max(0, part))) ** 3
}

export function limitedScroll(scroll: number, contentHeight: number, height: number): number {
  return Math.max(0, Math.min(contentHeight - height, scroll))
}

/** Scrolls as little as needed to show a row. Neighbouring rows stay visible if there is room. */
export function scrollToRow(scroll: number, row: number, rowHeight: number, height: number): number {
  const context = Math.min(2, Math.floor(height / rowHeight / 4)) * rowHeight
  const top = row * rowHeight
  if (top - context < scroll) return Math.max(0, top - context)
  if (top + rowHeight + context > scroll + height) return top + rowHeight + context - height
  return scroll
}
