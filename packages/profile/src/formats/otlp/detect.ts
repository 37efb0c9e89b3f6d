// Distinguishes OTLP profiles from other protobuf by the shape of the first fields. A pprof file starts with the same tag, but
// its field 1 is a ValueType of two numbers. OTLP has ResourceProfiles there, whose fields are all length-delimited.
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { Confidence } from '../format.ts'
import { isFramed } from './frames.ts'

/** The highest top-level field of any generation: v1.6 has up to 8. */
const MAX_FIELD = 8

export function detectOtlp(head: Uint8Array): Confidence {
  const start = isFramed(head) ? 4 : 0
  const reader = new ProtoReader(head, start)
  let confidence: Confidence = 'no'
  try {
    for (let fields = 0; fields < 16 && reader.tag(); fields++) {
      if (reader.wireType !== LEN || reader.field > MAX_FIELD) return 'no'
      reader.varint64()
      const length = reader.lo >>> 0
      const content = head.subarray(reader.pos, Math.min(reader.pos + length, head.length))
      if (reader.field === 1 && content.length > 0) {
        if (!onlyMessages(content, 3)) return 'no'
        confidence = 'certain'
      } else if (reader.field === 2 && confidence === 'no' && onlyMessages(content, 7)) confidence = 'possible'
      if (reader.hi !== 0 || length > head.length - reader.pos) break
      reader.pos += length
      // The next message of a framed file begins with its length, not with a tag.
      if (start > 0) break
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return 'no'
  }
  return confidence
}

/** Whether the first fields in the head are length-delimited and numbered up to `known`. */
function onlyMessages(content: Uint8Array, known: number): boolean {
  const reader = new ProtoReader(content)
  for (let fields = 0; fields < 4 && reader.pos < content.length; fields++) {
    if (!reader.tag() || reader.wireType !== LEN || reader.field > known) return false
    reader.varint64()
    if (reader.hi !== 0 || reader.lo >>> 0 > content.length - reader.pos) return fields > 0 || content.length > 64
    reader.pos += reader.lo >>> 0
  }
  return true
}
