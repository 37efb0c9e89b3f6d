// Distinguishes speedscope files from other JSON: by the schema that they name, or by the shape of the first profile.
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import type { Confidence } from '../format.ts'
import { SCHEMA } from './names.ts'

export function detectSpeedscope(head: Uint8Array): Confidence {
  const reader = new JsonReader(head)
  try {
    if (reader.peek() !== 'object') return 'no'
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === '$schema' && reader.peek() === 'string' && reader.stringEquals(SCHEMA)) return 'certain'
      if (key === 'profiles' && reader.peek() === 'array' && hasProfile(reader)) return 'certain'
    }
  } catch (error) {
    // The head may end anywhere. The part before its end decides.
    if (!(error instanceof JsonError)) throw error
  }
  return 'no'
}

/** Whether the first item looks like a profile. Its keys may have any order, and a long list may hide the rest. */
function hasProfile(reader: JsonReader): boolean {
  reader.beginArray()
  if (!reader.nextItem()) return false
  if (reader.peek() !== 'object') {
    reader.leave()
    return false
  }
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    if ((key === 'startValue' || key === 'endValue') && reader.peek() === 'number') return true
    if (key === 'type' && reader.peek() === 'string') {
      const type = reader.string()
      if (type === 'evented' || type === 'sampled') return true
    }
  }
  reader.leave()
  return false
}
