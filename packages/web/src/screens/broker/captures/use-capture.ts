// Follows the state of a capture until it has ended.
import type { Capture } from '@hearth/client'
import { UnreachableError } from '@hearth/client'
import { useEffect, useState } from 'preact/hooks'
import { client, handleUnauthorized } from '../../../state/session.ts'

export interface FollowedCapture {
  readonly capture: Capture | undefined
  /** The error that interrupted the updates. */
  readonly error: unknown
  readonly retry: () => void
}

/** The delay before reconnecting. The capture itself continues without the connection. */
const RECONNECT_MS = 2000

export function useCapture(id: string): FollowedCapture {
  const [state, setState] = useState<{ readonly capture: Capture | undefined; readonly error: unknown }>({
    capture: undefined,
    error: undefined,
  })
  const [attempt, setAttempt] = useState(0)
  const api = client.value
  useEffect(() => {
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const follow = async (): Promise<void> => {
      for await (const capture of api.followCapture(id, controller)) {
        if (controller.signal.aborted) return
        setState({ capture, error: undefined })
      }
    }
    follow().catch((error: unknown) => {
      if (controller.signal.aborted) return
      handleUnauthorized(error)
      setState(old => ({ ...old, error }))
      if (error instanceof UnreachableError) timer = setTimeout(() => setAttempt(count => count + 1), RECONNECT_MS)
    })
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [id, attempt, api])
  return { ...state, retry: () => setAttempt(count => count + 1) }
}
