// The current width of an element.
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** Returns the width in whole pixels, or 0 until it is known. */
export function useWidth(host: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  // A layout effect, so that the width is known before the first paint.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)))
    observer.observe(host.current!)
    return () => observer.disconnect()
  }, [])
  return width
}
