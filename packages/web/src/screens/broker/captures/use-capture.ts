// A capture as it goes on: each change as it comes, until it has ended.
import type { Capture } from '@hearth/client'
import { UnreachableError } from '@hearth/client'
import { useEffect, useState } from 'preact/hooks'
import { client, handleUnauthorized } from '../../../state/session.ts'

export interface FollowedCapture {
  readonly capture: Capture | undefined
  /** Why nothing more is known of it. */
  readonly error: unknown
  readonly retry: () => void
}

/** A connection that broke off is tried again: the capture itself goes on without it. */
const AGAIN_MS = 2000

export function useCapture(id: string): FollowedCapture {
  const [state, setState] = useState<{ readonly capture: Capture | undefined; readonly error: unknown }>({
    capture: undefined,
    error: undefined,
  })
  const [attempt, setAttempt] = useState(0)
  const asker = client.value
  useEffect(() => {
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const follow = async (): Promise<void> => {
      for await (const capture of asker.followCapture(id, controller)) {
        if (controller.signal.aborted) return
        setState({ capture, error: undefined })
      }
    }
    follow().catch((error: unknown) => {
      if (controller.signal.aborted) return
      handleUnauthorized(error)
      setState(old => ({ ...old, error }))
      if (error instanceof UnreachableError) timer = setTimeout(() => setAttempt(count => count + 1), AGAIN_MS)
    })
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [id, attempt, asker])
  return { ...state, retry: () => setAttempt(count => count + 1) }
}
