// Files that are dragged over the page and dropped anywhere on it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Returns whether files are over the page now. */
export function useFileDrop(onDrop: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onDrop)
  latest.current = onDrop
  useLayoutEffect(() => {
    const ends = new AbortController()
    const { signal } = ends
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
    addEventListener(
      'dragover',
      event => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      },
      { signal },
    )
    addEventListener(
      'dragleave',
      event => {
        // It is left for good only where there is nothing it goes to.
        if (event.relatedTarget === null) setOver(false)
      },
      { signal },
    )
    addEventListener(
      'drop',
      event => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        const files = [...(event.dataTransfer?.files ?? [])]
        if (files.length > 0) latest.current(files)
      },
      { signal },
    )
    return () => ends.abort()
  }, [])
  return isOver
}
