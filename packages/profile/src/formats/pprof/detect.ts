// Detects pprof by the shape of its first fields: sample types of two numbers, samples, and a string table whose first entry is
// empty. OTLP begins with the same tag, but its first field holds messages.
import { LEN, ProtoReader, VARINT } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { Confidence } from '../format.ts'

const MAX_FIELD = 15

export function detectPprof(head: Uint8Array): Confidence {
  const reader = new ProtoReader(head)
  let valueTypes = 0
  let others = 0
  try {
    for (let fields = 0; fields < 64 && reader.tag(); fields++) {
      const { field, wireType } = reader
      if (field > MAX_FIELD || (wireType !== LEN && wireType !== VARINT)) return 'no'
      if (wireType === VARINT) {
        if (field < 7) return 'no'
        reader.varint64()
        continue
      }
      reader.varint64()
      const length = reader.lo >>> 0
      if (reader.hi !== 0 || length > head.length - reader.pos) break
      if (field === 1) {
        if (!isValueType(new ProtoReader(head, reader.pos, reader.pos + length))) return 'no'
        valueTypes++
      } else if (field === 6 && others++ === 0 && length !== 0 && valueTypes === 0) return 'no'
      else others++
      reader.pos += length
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return 'no'
  }
  if (valueTypes > 0) return others > 0 ? 'certain' : 'possible'
  return 'no'
}

function isValueType(reader: ProtoReader): boolean {
  while (reader.tag()) {
    if (reader.wireType !== VARINT || reader.field > 2) return false
    reader.varint64()
  }
  return true
}
