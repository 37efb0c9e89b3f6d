// Which rows of a long list can be seen, and some beyond the edges: only those are in the page, however many there are.
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

export interface SeenRows {
  readonly from: number
  readonly to: number
  /** For `onScroll`. */
  readonly look: () => void
}

/** Rows beyond the edges, so that scrolling does not show their absence. */
const SPARE = 12
/** Until the height is known, in the same frame: 60 rows of a trace took twice as long as the 28 that were seen. */
const AT_FIRST = 24

/** All rows are `height` pixels high. */
export function useSeenRows(scroller: RefObject<HTMLElement | null>, height: number, length: number): SeenRows {
  const [seen, setSeen] = useState({ from: 0, to: AT_FIRST })
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

/** Scrolls so far that the row is seen whole, with `above` pixels of what stays at the top. */
export function scrollToRow(element: HTMLElement, row: number, height: number, above: number): void {
  const top = row * height
  const room = element.clientHeight - above
  if (top < element.scrollTop) element.scrollTop = top
  else if (top + height > element.scrollTop + room) element.scrollTop = top + height - room
}
