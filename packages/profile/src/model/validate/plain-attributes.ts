// Recognises resources and scopes that break no MUST rule by their bytes alone. Decoding them takes as long as all other checks of
// a payload with many small containers.
import type { ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { LEN, VARINT } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'

/** Messages with more attributes are decoded: comparing their keys by pairs would take long. */
const MAX_ATTRIBUTES = 32
const KEY = 1
const VALUE = 2
/** string_value, bool_value, int_value, double_value, and bytes_value. Arrays and lists can have keys inside. */
const isPlainValue = (field: number): boolean => (field >= 1 && field <= 4) || field === 7

const keyStarts = new Int32Array(MAX_ATTRIBUTES)
const keyEnds = new Int32Array(MAX_ATTRIBUTES)

/**
 * Whether a message has only attributes, in `field`, with plain values and with keys that are set and distinct. Other fields are
 * skipped. Returns false for everything unusual, which the caller then checks in detail.
 */
export function hasPlainAttributes(reader: ProtoReader, to: number, field: number): boolean {
  let count = 0
  try {
    while (reader.tag()) {
      if (reader.field > 4 || (reader.wireType !== LEN && reader.wireType !== VARINT)) return false
      if (reader.field !== field) {
        reader.skip()
        continue
      }
      if (reader.wireType !== LEN || count === MAX_ATTRIBUTES) return false
      const end = reader.length() + reader.pos
      reader.end = end
      if (!isPlainAttribute(reader, count)) return false
      if (!isNewKey(reader.bytes, count)) return false
      reader.end = to
      reader.pos = end
      count++
    }
    return true
  } catch (error) {
    if (error instanceof WireError) return false
    throw error
  }
}

/** Stores the range of the key. */
function isPlainAttribute(reader: ProtoReader, i: number): boolean {
  keyStarts[i] = 0
  keyEnds[i] = 0
  while (reader.tag()) {
    if (reader.wireType !== LEN) return false
    const from = reader.pos
    const length = reader.length()
    const start = reader.pos
    if (reader.field === KEY) {
      keyStarts[i] = start
      keyEnds[i] = start + length
    } else if (reader.field !== VALUE || (length > 0 && !isPlainValue(reader.bytes[start] >>> 3))) return false
    reader.pos = from
    reader.skip(LEN)
  }
  return keyEnds[i] > keyStarts[i]
}

/** Only keys in ASCII are compared: other bytes can be invalid and read as equal texts. */
function isNewKey(bytes: Uint8Array, i: number): boolean {
  const length = keyEnds[i] - keyStarts[i]
  for (let at = keyStarts[i]; at < keyEnds[i]; at++) if (bytes[at] >= 128) return false
  for (let other = 0; other < i; other++) {
    if (keyEnds[other] - keyStarts[other] !== length) continue
    let k = 0
    while (k < length && bytes[keyStarts[other] + k] === bytes[keyStarts[i] + k]) k++
    if (k === length) return false
  }
  return true
}
