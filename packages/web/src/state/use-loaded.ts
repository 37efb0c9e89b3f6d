// Loads data for a component. The previous value stays while the next one loads.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isLiveLoad, reportFresh, reportStale } from './live.ts'
import { loadTime } from './load-time.ts'
import { client, handleUnauthorized } from './session.ts'

/** Shorter loading is not indicated, because it would flicker. */
const SLOW_MS = 200

export interface Loaded<T> {
  /** The last value; of another key while `loading`. */
  readonly value: T | undefined
  /** The error of the last request. */
  readonly error: unknown
  readonly loading: boolean
  /** Whether loading takes noticeably long. */
  readonly slow: boolean
  /** Whether the user cancelled. */
  readonly cancelled: boolean
  readonly cancel: () => void
  readonly retry: () => void
}

interface State<T> {
  readonly value: T | undefined
  readonly error: unknown
  readonly loading: boolean
  readonly slow: boolean
  readonly cancelled: boolean
}

/** Loading without a previous value. */
const LOADING = { value: undefined, error: undefined, loading: true, slow: false, cancelled: false } as const

/** In this state a new request changes nothing, so rendering is skipped. That saved 20 ms on a trace. */
function isLoading({ error, loading, slow, cancelled }: State<unknown>): boolean {
  return error === undefined && loading && !slow && !cancelled
}

/** Loads whenever `key` changes. With an undefined key it loads nothing and keeps the value. */
export function useLoaded<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ ...LOADING, loading: key !== undefined })
  const [attempt, setAttempt] = useState(0)
  const abort = useRef<AbortController | undefined>(undefined)
  /** The key of the last request. Requests start after rendering, so until then the value can belong to another key. */
  const requested = useRef<string | undefined>(undefined)
  const currentClient = client.value
  useEffect(() => {
    if (key === undefined) return undefined
    const controller = new AbortController()
    abort.current = controller
    requested.current = key
    const [started, isRefresh] = [loadTime.peek(), isLiveLoad()]
    setState(old => (isLoading(old) ? old : { ...LOADING, value: old.value }))
    const slow = setTimeout(() => setState(old => (old.loading ? { ...old, slow: true } : old)), SLOW_MS)
    load(controller.signal)
      .then(
        value => {
          if (controller.signal.aborted) return
          reportFresh(started)
          setState({ value, error: undefined, loading: false, slow: false, cancelled: false })
        },
        (error: unknown) => {
          if (controller.signal.aborted) return
          handleUnauthorized(error)
          if (isRefresh) reportStale(error)
          // A refresh that fails keeps what is shown.
          setState(({ value }) => ({
            value,
            error: isRefresh && value !== undefined ? undefined : error,
            loading: false,
            slow: false,
            cancelled: false,
          }))
        },
      )
      .finally(() => clearTimeout(slow))
    return () => {
      clearTimeout(slow)
      controller.abort()
    }
    // `load` is a new function on every rendering. It is equivalent as long as the key is the same.
  }, [key, attempt, currentClient])
  const cancel = useCallback(() => {
    abort.current?.abort()
    setState(old => ({ ...old, loading: false, slow: false, cancelled: true }))
  }, [])
  const retry = useCallback(() => setAttempt(count => count + 1), [])
  const isOther = requested.current !== key
  const loading = key !== undefined && (isOther || state.loading)
  return {
    value: state.value,
    error: isOther ? undefined : state.error,
    loading,
    slow: loading && state.slow,
    cancelled: !isOther && state.cancelled,
    cancel,
    retry,
  }
}
