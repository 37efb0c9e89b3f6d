// Iterates over the members of a V8 profile, alone or in a message of the DevTools protocol:
//   {"nodes": …}   {"profile": {…}}   {"id": 4, "result": {"profile": {…}}}   {"method": …, "params": {"profile": {…}}}
import type { JsonReader } from '../../wire/json/json-reader.ts'

const WRAPPERS = new Set(['result', 'params', 'profile'])
const MESSAGE_FIELDS = new Set(['id', 'method', 'sessionId', 'location'])
const MAX_WRAPPERS = 2

/** Yields each key of the profile. The reader is then at the value of the key. */
export function* profileKeys(reader: JsonReader, wrappers = 0): Generator<string, void> {
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    if (wrappers < MAX_WRAPPERS && WRAPPERS.has(key) && reader.peek() === 'object') {
      yield* profileKeys(reader, wrappers + 1)
    } else if (!MESSAGE_FIELDS.has(key)) yield key
  }
}
