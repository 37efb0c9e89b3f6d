// Go execution traces say what they are. Those of before Go 1.22 are told too, so that reading one gives the reason why not.
import type { Confidence } from '../format.ts'
import { traceVersion } from './header.ts'

export function detectGoTrace(head: Uint8Array): Confidence {
  return traceVersion(head) === undefined ? 'no' : 'certain'
}
