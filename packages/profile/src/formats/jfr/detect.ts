// Detects JFR by the first four bytes, which all chunks share and no other format uses.
import type { Confidence } from '../format.ts'
import { hasMagic } from './encoding/chunk-header.ts'

export function detectJfr(head: Uint8Array): Confidence {
  return hasMagic(head, 0) ? 'certain' : 'no'
}
