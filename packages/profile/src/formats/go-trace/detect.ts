// Go execution traces have a header. Traces from before Go 1.22 are detected too, so that the reader can report why it
// rejects them.
import type { Confidence } from '../format.ts'
import { traceVersion } from './header.ts'

export function detectGoTrace(head: Uint8Array): Confidence {
  return traceVersion(head) === undefined ? 'no' : 'certain'
}
