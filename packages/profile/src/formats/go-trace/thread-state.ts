// The state of goroutines and threads while events are applied.

export interface Goroutine {
  readonly id: number
  status: number
  /** The number of changes from outside in a generation. Such events are numbered. */
  generation: number
  sequence: number
  since: number
  stack: number
  reason: number
  /** The stack of its system call. */
  thread: number
  /** Whether it began before the trace did. */
  isOpen: boolean
  /** Whether it ended, or another goroutine has its id. */
  isGone: boolean
  /** For each status the last context in which it ended: reason, thread, and the row of the observations. */
  readonly contexts: number[]
}

export interface GoThread {
  readonly id: number
  goroutine: number
  /** That goroutine, if it was looked up. */
  current: Goroutine | undefined
  proc: number
}
