// Accepts files that are dropped anywhere in the window.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Returns whether the user is dragging files over the window. */
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
        // The pointer has left the window only if it enters no other element.
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
