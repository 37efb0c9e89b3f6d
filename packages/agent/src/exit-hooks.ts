// Sends the last profiles when the process ends, within a time limit. Otherwise the process ends as it would without the agent:
// with the same exit code and signal, and only the application's own handlers decide what a signal does.
import { isMainThread } from 'node:worker_threads'

export interface ExitHooks {
  /** Called when the event loop is empty or a signal arrived. Sends what was recorded. Never rejects. */
  readonly flush: () => Promise<void>
  /** Called in the 'exit' event, in which nothing asynchronous completes. */
  readonly exit: () => void
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Returns a function that removes the hooks. */
export function hookExit({ flush, exit }: ExitHooks): () => void {
  const beforeExit = (): void => void flush()
  process.on('beforeExit', beforeExit)
  process.on('exit', exit)
  // Workers receive no signals.
  const unhook = isMainThread ? SIGNALS.map(signal => hookSignal(signal, flush)) : []
  return () => {
    process.off('beforeExit', beforeExit)
    process.off('exit', exit)
    for (const off of unhook) off()
  }
}

function hookSignal(signal: NodeJS.Signals, flush: () => Promise<void>): () => void {
  let isEnding = false
  let isOff = false
  const raise = (): void => {
    process.off(signal, listener)
    process.kill(process.pid, signal)
  }
  const listener = (): void => {
    if (process.listenerCount(signal) > 1) {
      // The application decides. Our listener is removed until the others have run: some exit only if they are the only one.
      process.off(signal, listener)
      setImmediate(() => {
        if (!isOff) process.prependListener(signal, listener)
      }).unref()
      void flush()
    } else if (isEnding) raise()
    else {
      isEnding = true
      void flush().then(raise)
    }
  }
  // First, so that a listener of the application that removes itself still counts.
  process.prependListener(signal, listener)
  return () => {
    isOff = true
    process.off(signal, listener)
  }
}
