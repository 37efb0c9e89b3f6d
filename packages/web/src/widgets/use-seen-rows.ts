// The visible rows of a long list and some beyond its edges. Only these are in the DOM.
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

export interface SeenRows {
  readonly from: number
  readonly to: number
  /** For `onScroll`. */
  readonly look: () => void
}

/** The number of rows beyond each edge, so that scrolling does not show empty space. */
const SPARE = 12
/** The number of rows until the height is known. Rendering 60 rows of a trace took twice as long as the 28 visible ones. */
const INITIAL_ROWS = 24

/** Returns the visible rows of a list whose rows are all `height` pixels high. */
export function useSeenRows(scroller: RefObject<HTMLElement | null>, height: number, length: number): SeenRows {
  const [seen, setSeen] = useState({ from: 0, to: INITIAL_ROWS })
  const look = (): void => {
    const element = scroller.current
    if (element === null) return
    const from = Math.max(0, Math.floor(element.scrollTop / height) - SPARE)
    const to = Math.ceil((element.scrollTop + element.clientHeight) / height) + SPARE
    setSeen(old => (old.from === from && old.to === to ? old : { from, to }))
  }
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look)
    observer.observe(scroller.current!)
    return () => observer.disconnect()
  }, [])
  return { from: Math.min(seen.from, length), to: Math.min(seen.to, length), look }
}

/** Scrolls until the whole row is visible below the sticky header, which is `above` pixels high. */
export function scrollToRow(element: HTMLElement, row: number, height: number, above: number): void {
  const top = row * height
  const room = element.clientHeight - above
  if (top < element.scrollTop) element.scrollTop = top
  else if (top + height > element.scrollTop + room) element.scrollTop = top + height - room
}
