// Every chunk of a recording begins with the same four bytes, and no other format does.
import type { Confidence } from '../format.ts'
import { hasMagic } from './encoding/chunk-header.ts'

export function detectJfr(head: Uint8Array): Confidence {
  return hasMagic(head, 0) ? 'certain' : 'no'
}
