// Something that is asked for, as a component sees it: what came last stays while the next is on its way.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { client, noticeRefusal } from './session.ts'

/** Loading that takes less is not worth a word: the eye would only see a flicker. */
const SLOW_MS = 200

export interface Loaded<T> {
  /** The last that came; of another key while `loading`. */
  readonly value: T | undefined
  /** Why the last question has no answer. */
  readonly error: unknown
  readonly loading: boolean
  /** Whether it takes longer than one does not notice. */
  readonly slow: boolean
  /** Whether somebody cancelled it. */
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

/** On the way, with nothing before it. */
const ASKED = { value: undefined, error: undefined, loading: true, slow: false, cancelled: false } as const

/** Then that a question goes out changes nothing, and nothing is rendered anew: that took 20 ms of a trace. */
function isAsked({ error, loading, slow, cancelled }: State<unknown>): boolean {
  return error === undefined && loading && !slow && !cancelled
}

/** Asks anew whenever `key` changes; undefined asks nothing, and keeps what there is. */
export function useLoaded<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ ...ASKED, loading: key !== undefined })
  const [attempt, setAttempt] = useState(0)
  const abort = useRef<AbortController | undefined>(undefined)
  /** The question goes out after the picture; that what is there answers another one is known before. */
  const asked = useRef<string | undefined>(undefined)
  const asker = client.value
  useEffect(() => {
    if (key === undefined) return undefined
    const controller = new AbortController()
    abort.current = controller
    asked.current = key
    setState(old => (isAsked(old) ? old : { ...ASKED, value: old.value }))
    const slow = setTimeout(() => setState(old => (old.loading ? { ...old, slow: true } : old)), SLOW_MS)
    load(controller.signal)
      .then(
        value => {
          if (controller.signal.aborted) return
          setState({ value, error: undefined, loading: false, slow: false, cancelled: false })
        },
        (error: unknown) => {
          if (controller.signal.aborted) return
          noticeRefusal(error)
          setState(({ value }) => ({ value, error, loading: false, slow: false, cancelled: false }))
        },
      )
      .finally(() => clearTimeout(slow))
    return () => {
      clearTimeout(slow)
      controller.abort()
    }
    // `load` is made anew at every rendering and means the same as long as the key does.
  }, [key, attempt, asker])
  const cancel = useCallback(() => {
    abort.current?.abort()
    setState(old => ({ ...old, loading: false, slow: false, cancelled: true }))
  }, [])
  const retry = useCallback(() => setAttempt(count => count + 1), [])
  const isOther = asked.current !== key
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
