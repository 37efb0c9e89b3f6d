// Collects the garbage of this thread at once. V8 knows little of the memory outside of its heap, and would keep hundreds of
// megabytes of typed arrays of a large request while the thread is idle.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/** Takes about 10 ms in a thread with a small heap. Not for the main thread. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
