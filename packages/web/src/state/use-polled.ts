// Loads data repeatedly. Each request starts a fixed time after the previous response, so a slow server never gets two
// at once. Polling stops while the tab is hidden.
import { useEffect, useState } from 'preact/hooks'
import type { Loaded } from './use-loaded.ts'
import { useLoaded } from './use-loaded.ts'

export interface PolledOptions {
  readonly everyMs: number
  /** Whether to keep the last value. The first value is loaded anyway. */
  readonly isPaused?: boolean
}

/** Only the first request shows progress. */
export function usePolled<T>(
  key: string,
  { everyMs, isPaused = false }: PolledOptions,
  load: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const [count, setCount] = useState(0)
  const [error, setError] = useState<unknown>(undefined)
  const loaded = useLoaded(`${key}:${count}`, load)
  const { loading } = loaded
  useEffect(() => {
    if (loading) return undefined
    // An error stays until a request succeeds.
    setError(loaded.error)
    if (isPaused) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = (): void => {
      if (document.hidden) timer = setTimeout(again, everyMs)
      else setCount(old => old + 1)
    }
    timer = setTimeout(again, everyMs)
    return () => clearTimeout(timer)
  }, [loading, isPaused, count])
  return { ...loaded, error: error ?? loaded.error, slow: loaded.slow && loaded.value === undefined }
}
