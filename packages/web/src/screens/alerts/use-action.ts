// Runs a change on the server, and keeps its error for the screen.
import { useState } from 'preact/hooks'
import { handleUnauthorized } from '../../state/session.ts'

export interface Action {
  /** The message of the last error; empty if there is none. */
  readonly problem: string
  readonly isRunning: boolean
  readonly run: (change: () => Promise<unknown>) => void
}

export function useAction(onDone: () => void): Action {
  const [problem, setProblem] = useState('')
  const [isRunning, setIsRunning] = useState(false)
  const run = (change: () => Promise<unknown>): void => {
    setIsRunning(true)
    setProblem('')
    change()
      .then(onDone, (error: unknown) => {
        handleUnauthorized(error)
        setProblem(error instanceof Error ? error.message : String(error))
      })
      .finally(() => setIsRunning(false))
  }
  return { problem, isRunning, run }
}
