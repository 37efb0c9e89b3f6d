// Watches the events of the Broker and keeps the latest ones.
import type { SeenEvent } from '@hearth/client'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { EventFilter } from '../../../address/broker-route.ts'
import { client, handleUnauthorized } from '../../../state/session.ts'

export interface WatchedEvent extends SeenEvent {
  /** Increases in the order of arrival. */
  readonly number: number
}

export interface WatchedEvents {
  /** The newest first. */
  readonly events: readonly WatchedEvent[]
  /** The number of events that the server dropped because the connection was too slow. */
  readonly missed: number
  /** Whether the server is sending events. */
  readonly isWatching: boolean
  readonly error: unknown
  readonly retry: () => void
  readonly clear: () => void
}

/** The maximum number of events. Older ones are dropped. */
export const MAX_EVENTS = 500
/** Events are rendered in batches, at most once in this time. */
const RENDER_MS = 150

interface State {
  readonly events: readonly WatchedEvent[]
  readonly missed: number
  readonly isWatching: boolean
  readonly error: unknown
}

const INITIAL: State = { events: [], missed: 0, isWatching: false, error: undefined }

export function useWatchedEvents(filter: EventFilter, isPaused: boolean): WatchedEvents {
  const [state, setState] = useState<State>(INITIAL)
  const [attempt, setAttempt] = useState(0)
  const api = client.value
  const { type, category, source, target, outcome } = filter
  useLayoutEffect(() => {
    if (isPaused) return undefined
    const controller = new AbortController()
    let waiting: SeenEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let number = Date.now() * 1000
    const show = (): void => {
      timer = undefined
      const arrived = waiting.map(seen => ({ ...seen, number: number++ })).reverse()
      waiting = []
      setState(old => ({
        ...old,
        events: [...arrived, ...old.events].slice(0, MAX_EVENTS),
        missed: arrived.reduce((sum, { missed }) => sum + missed, old.missed),
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
      const events = await api.watchEvents(request, controller)
      setState(old => ({ ...old, isWatching: true, error: undefined }))
      for await (const seen of events) {
        // The request has one component name for source and target. The two are distinguished here.
        if (source !== '' && seen.event.source?.name !== source) continue
        if (target !== '' && seen.event.target?.name !== target) continue
        waiting.push(seen)
        if (waiting.length > MAX_EVENTS) waiting.shift()
        timer ??= setTimeout(show, RENDER_MS)
      }
      throw new Error('the server closed the event stream; try again')
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
  }, [type, category, source, target, outcome, isPaused, attempt, api])
  return {
    ...state,
    retry: () => setAttempt(count => count + 1),
    clear: () => setState(old => ({ ...old, events: [], missed: 0 })),
  }
}
