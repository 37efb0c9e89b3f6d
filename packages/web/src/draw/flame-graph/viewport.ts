// The window on a flame graph: which part of its width is shown, and how far it is scrolled. Plain arithmetic, kept within
// what there is.

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
  /** Rows from the root's, both shown. */
  readonly firstRow: number
  readonly lastRow: number
  /** In pixels, as all that is returned. */
  readonly pixels: number
  /** Narrower boxes are merged. */
  readonly narrowest: number
}

/** Doubles place a box at this zoom to a thousandth of a pixel still. */
const NARROWEST = 1e-11

/** The nearest span that lies within the whole. */
export function within({ left, width }: Span, whole: number): Span {
  const fits = Math.min(whole, Math.max(whole * NARROWEST, width))
  return { left: Math.max(0, Math.min(whole - fits, left)), width: fits }
}

/** `factor` times as near, with what is at `at` (0 to 1, from the left of the window) staying there. */
export function zoomed({ left, width }: Span, whole: number, at: number, factor: number): Span {
  const next = Math.min(whole, Math.max(whole * NARROWEST, width / factor))
  return within({ left: left + at * (width - next), width: next }, whole)
}

/** Moved by a part of the window's own width. */
export function panned({ left, width }: Span, whole: number, by: number): Span {
  return within({ left: left + by * width, width }, whole)
}

/** On the way from one span to another; part 0 to 1. Edges move evenly, so that boxes seem to grow out of their place. */
export function between(from: Span, to: Span, part: number): Span {
  if (part >= 1) return to
  const left = from.left + (to.left - from.left) * part
  const right = from.left + from.width + (to.left + to.width - from.left - from.width) * part
  return { left, width: right - left }
}

/** Fast at first, as an answer to a click, then slower. */
export function eased(part: number): number {
  return 1 - (1 - Math.min(1, Math.max(0, part))) ** 3
}

export function limitedScroll(scroll: number, contentHeight: number, height: number): number {
  return Math.max(0, Math.min(contentHeight - height, scroll))
}

/** The least scrolling that shows a row; rows of context stay beside it where there is room. */
export function scrollToRow(scroll: number, row: number, rowHeight: number, height: number): number {
  const context = Math.min(2, Math.floor(height / rowHeight / 4)) * rowHeight
  const top = row * rowHeight
  if (top - context < scroll) return Math.max(0, top - context)
  if (top + rowHeight + context > scroll + height) return top + rowHeight + context - height
  return scroll
}
