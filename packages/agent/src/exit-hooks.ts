// The last moments of a process: what is still to be sent is sent, within a bound, and otherwise everything ends as it would
// without the agent: the same exit code, the same signal, and handlers of the application alone decide what a signal does.
import { isMainThread } from 'node:worker_threads'

export interface ExitHooks {
  /** The process has nothing left to do, or was told to end: sends what there is. Never rejects. */
  readonly flush: () => Promise<void>
  /** The process is about to be gone; nothing that waits can be done any more. */
  readonly exit: () => void
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Returns what takes the hooks off again. */
export function hookExit({ flush, exit }: ExitHooks): () => void {
  const beforeExit = (): void => void flush()
  process.on('beforeExit', beforeExit)
  process.on('exit', exit)
  // Workers get no signals.
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
      // The application decides. Until its listeners have run, ours is away: some end the process only if they are alone.
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
  // First in line, so that a listener of the application that removes itself still counts.
  process.prependListener(signal, listener)
  return () => {
    isOff = true
    process.off(signal, listener)
  }
}
