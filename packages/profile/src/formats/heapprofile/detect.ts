// Distinguishes a .heapprofile from other JSON: a nested `head` whose nodes have sizes. An old CPU profile has hit
// counts there.
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { profileKeys } from '../cpuprofile/profile-keys.ts'
import type { Confidence } from '../format.ts'

const HEAD_DEPTH = 40_000

export function detectHeapprofile(head: Uint8Array): Confidence {
  const reader = new JsonReader(head, { maxDepth: HEAD_DEPTH })
  try {
    if (reader.peek() !== 'object') return 'no'
    for (const key of profileKeys(reader)) {
      if (key === 'head' && reader.peek() === 'object') {
        // Keys have no order, so this searches the text.
        return decodeUtf8(head).includes('"selfSize"') ? 'certain' : 'no'
      }
      if (key === 'samples' && reader.peek() === 'array' && hasOrdinals(reader)) return 'certain'
    }
  } catch (error) {
    // The head may end anywhere. The part before its end decides.
    if (!(error instanceof JsonError)) throw error
  }
  return 'no'
}

/** The samples may precede the tree. */
function hasOrdinals(reader: JsonReader): boolean {
  reader.beginArray()
  if (!reader.nextItem()) return false
  if (reader.peek() === 'object') {
    reader.beginObject()
    let found = 0
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'nodeId' || key === 'ordinal') found++
    }
    if (found === 2) return true
  }
  reader.leave()
  return false
}
