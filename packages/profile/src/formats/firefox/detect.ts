// Distinguishes Firefox profiles from other JSON: by the `meta` at their start, or by the tables of their first thread.
// Recordings of the developer tools have the profile after other parts, which may be longer than the head.
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import type { Confidence } from '../format.ts'
import { CLEOPATRA } from './cleopatra.ts'

const TELLING = new Set(['preprocessedProfileVersion', 'stackwalk', 'processType', 'profilingStartTime'])
const TABLES = new Set(['frameTable', 'stackTable', 'stringTable', 'stringArray', 'funcTable'])
const RECORDING = new Set(
  'label duration markers frames memory ticks allocations configuration systemHost systemClient fileType'.split(' '),
)
/** The number of parts of a recording that no other format has. */
const ENOUGH_PARTS = 3

export function detectFirefox(head: Uint8Array): Confidence {
  const reader = new JsonReader(head)
  let parts = 0
  try {
    if (reader.peek() !== 'object') return 'no'
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'format' && reader.peek() === 'string' && reader.string() === CLEOPATRA) return 'certain'
      if (key === 'meta' && reader.peek() === 'object' && hasKey(reader, TELLING)) return 'certain'
      if (key === 'threads' && reader.peek() === 'array') {
        reader.beginArray()
        if (reader.nextItem() && reader.peek() === 'object' && hasKey(reader, TABLES)) return 'certain'
        return 'no'
      }
      if (RECORDING.has(key)) parts++
      if (key === 'profile' && reader.peek() === 'object' && parts >= ENOUGH_PARTS) return 'certain'
    }
    return 'no'
  } catch (error) {
    // The head may end anywhere. The part before its end decides.
    if (!(error instanceof JsonError)) throw error
  }
  return parts >= ENOUGH_PARTS ? 'possible' : 'no'
}

/** Reads to the end of the object if the key is missing. */
function hasKey(reader: JsonReader, keys: ReadonlySet<string>): boolean {
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) if (keys.has(key)) return true
  return false
}
