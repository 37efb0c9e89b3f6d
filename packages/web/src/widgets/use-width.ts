// How wide an element is, as it changes.
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** In whole pixels; 0 until it is known. */
export function useWidth(host: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  // So that it is told before the first frame is painted.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)))
    observer.observe(host.current!)
    return () => observer.disconnect()
  }, [])
  return width
}
