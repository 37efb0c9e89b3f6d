// Distinguishes a .cpuprofile from other JSON by its keys: a list of nodes with call frames, or the old `head` with hit
// counts.
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import type { Confidence } from '../format.ts'
import { profileKeys } from './profile-keys.ts'

const HEAD_DEPTH = 40_000

export function detectCpuprofile(head: Uint8Array): Confidence {
  const reader = new JsonReader(head, { maxDepth: HEAD_DEPTH })
  const seen = new Set<string>()
  try {
    if (reader.peek() !== 'object') return 'no'
    for (const key of profileKeys(reader)) {
      const kind = reader.peek()
      if (key === 'nodes' && kind === 'array' && hasNode(reader, ['callFrame', 'functionName'])) return 'certain'
      if (key === 'head' && kind === 'object') return isOldHead(head) ? 'certain' : 'no'
      seen.add(key)
    }
  } catch (error) {
    // The head may end anywhere. The part before its end decides.
    if (!(error instanceof JsonError)) throw error
  }
  // In some files the tree comes last, beyond the head.
  if (seen.has('samples') && (seen.has('timeDeltas') || seen.has('timestamps'))) return 'certain'
  return seen.has('timeDeltas') && seen.has('startTime') ? 'possible' : 'no'
}

function hasNode(reader: JsonReader, keys: readonly string[]): boolean {
  reader.beginArray()
  if (!reader.nextItem() || reader.peek() !== 'object') return false
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) if (keys.includes(key)) return true
  return false
}

/** A heap profile has a `head` too, with sizes in its nodes. Keys have no order, so this searches the text. */
function isOldHead(head: Uint8Array): boolean {
  const text = decodeUtf8(head)
  return text.includes('"hitCount"') && !text.includes('"selfSize"')
}
