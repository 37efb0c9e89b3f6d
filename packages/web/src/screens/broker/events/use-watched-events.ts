// Events as they pass, the newest first, as many as one can look through.
import type { SeenEvent } from '@hearth/client'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { EventFilter } from '../../../address/broker-route.ts'
import { client, handleUnauthorized } from '../../../state/session.ts'

export interface WatchedEvent extends SeenEvent {
  /** In the order in which they came. */
  readonly number: number
}

export interface WatchedEvents {
  /** The newest first. */
  readonly events: readonly WatchedEvent[]
  /** How many passed too fast to be seen. */
  readonly missed: number
  /** Whether the server is listening for us. */
  readonly isWatching: boolean
  readonly error: unknown
  readonly retry: () => void
  readonly clear: () => void
}

/** Older ones are let go. */
export const MOST_KEPT = 500
/** Many may come at once; the eye needs no more than this. */
const SHOW_MS = 150

interface State {
  readonly events: readonly WatchedEvent[]
  readonly missed: number
  readonly isWatching: boolean
  readonly error: unknown
}

const NOTHING: State = { events: [], missed: 0, isWatching: false, error: undefined }

export function useWatchedEvents(filter: EventFilter, isPaused: boolean): WatchedEvents {
  const [state, setState] = useState<State>(NOTHING)
  const [attempt, setAttempt] = useState(0)
  const asker = client.value
  const { type, category, source, target, outcome } = filter
  useLayoutEffect(() => {
    if (isPaused) return undefined
    const controller = new AbortController()
    let waiting: SeenEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let number = Date.now() * 1000
    const show = (): void => {
      timer = undefined
      const came = waiting.map(seen => ({ ...seen, number: number++ })).reverse()
      waiting = []
      setState(old => ({
        ...old,
        events: [...came, ...old.events].slice(0, MOST_KEPT),
        missed: came.reduce((sum, { missed }) => sum + missed, old.missed),
      }))
    }
    const watch = async (): Promise<void> => {
      const component = source === '' ? target : source
      const request = {
        ...(type === '' ? {} : { type }),
        ...(category === '' ? {} : { category }),
        ...(component === '' ? {} : { component }),
        ...(outcome === '' ? {} : { outcome }),
      }
      const passing = await asker.watchEvents(request, controller)
      setState(old => ({ ...old, isWatching: true, error: undefined }))
      for await (const seen of passing) {
        // The server takes one name, for either end.
        if (source !== '' && seen.event.source?.name !== source) continue
        if (target !== '' && seen.event.target?.name !== target) continue
        waiting.push(seen)
        if (waiting.length > MOST_KEPT) waiting.shift()
        timer ??= setTimeout(show, SHOW_MS)
      }
      throw new Error('the server has stopped telling of events')
    }
    watch().catch((error: unknown) => {
      if (controller.signal.aborted) return
      handleUnauthorized(error)
      setState(old => ({ ...old, isWatching: false, error }))
    })
    return () => {
      clearTimeout(timer)
      if (waiting.length > 0) show()
      controller.abort()
      setState(old => ({ ...old, isWatching: false }))
    }
  }, [type, category, source, target, outcome, isPaused, attempt, asker])
  return {
    ...state,
    retry: () => setAttempt(count => count + 1),
    clear: () => setState(old => ({ ...old, events: [], missed: 0 })),
  }
}
