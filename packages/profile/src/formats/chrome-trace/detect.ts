// Distinguishes a trace from other JSON: an array whose objects have a `ph`, or an object with `traceEvents`.
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import type { Confidence } from '../format.ts'

const MAX_DEPTH = 1000
/** Number of events to inspect. Some events lack members that others have. */
const EVENTS = 10

export function detectChromeTrace(head: Uint8Array): Confidence {
  const reader = new JsonReader(head, { maxDepth: MAX_DEPTH })
  let seen: Confidence = 'no'
  try {
    const kind = reader.peek()
    if (kind === 'array') return hasEvents(reader) ? 'certain' : 'no'
    if (kind !== 'object') return 'no'
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'traceEvents' && reader.peek() === 'array') return 'certain'
      if (key === 'stackFrames' && reader.peek() === 'object') seen = 'possible'
    }
  } catch (error) {
    // The head may end anywhere. The part before its end decides.
    if (!(error instanceof JsonError)) throw error
  }
  return seen
}

function hasEvents(reader: JsonReader): boolean {
  reader.beginArray()
  for (let i = 0; i < EVENTS && reader.nextItem(); i++) {
    if (reader.peek() !== 'object') return false
    let keys = 0
    let hasPhase = false
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'ph' && reader.peek() === 'string') hasPhase = true
      else if (key === 'pid' || key === 'tid' || key === 'ts' || key === 'name') keys++
      // Decides early, because the first event may be longer than the head.
      if (hasPhase && keys >= 2) return true
    }
  }
  return false
}
