// Something that changes by itself: asked for again and again, each time so long after the answer before, so that a slow server
// is never asked twice at once. Not while nobody looks.
import { useEffect, useState } from 'preact/hooks'
import type { Loaded } from './use-loaded.ts'
import { useLoaded } from './use-loaded.ts'

export interface PolledOptions {
  readonly everyMs: number
  /** Whether what came last stays; the first is asked for all the same. */
  readonly isPaused?: boolean
}

/** Only the first time counts as slow: what comes again comes quietly. */
export function usePolled<T>(
  key: string,
  { everyMs, isPaused = false }: PolledOptions,
  load: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const [asked, setAsked] = useState(0)
  const [error, setError] = useState<unknown>(undefined)
  const loaded = useLoaded(`${key}:${asked}`, load)
  const { loading } = loaded
  useEffect(() => {
    if (loading) return undefined
    // What failed is told until it works again, and not only between two tries.
    setError(loaded.error)
    if (isPaused) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = (): void => {
      if (document.hidden) timer = setTimeout(again, everyMs)
      else setAsked(count => count + 1)
    }
    timer = setTimeout(again, everyMs)
    return () => clearTimeout(timer)
  }, [loading, isPaused, asked])
  return { ...loaded, error: error ?? loaded.error, slow: loaded.slow && loaded.value === undefined }
}
