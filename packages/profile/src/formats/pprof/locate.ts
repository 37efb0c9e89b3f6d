// Finds the offset of a table entry in the file, for errors that are found after decoding.
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'

/** Field numbers by the names that errors use. */
export const FIELDS = {
  sample_type: 1,
  sample: 2,
  mapping: 3,
  location: 4,
  function: 5,
  string_table: 6,
  drop_frames: 7,
  keep_frames: 8,
  period_type: 11,
  comment: 13,
  default_sample_type: 14,
  doc_url: 15,
} as const

/** The offset of the i-th field with this number, of the last one if there are fewer, or the end of the file if there is none. */
export function offsetOf(bytes: Uint8Array, field: number, i: number): number {
  const reader = new ProtoReader(bytes)
  let offset = bytes.length
  let left = i
  try {
    for (let start = 0; reader.tag(); start = reader.pos) {
      if (reader.field === field) {
        offset = start
        if (left-- <= 0) break
      }
      reader.varint64()
      if (reader.wireType === LEN) reader.pos += reader.lo >>> 0
    }
  } catch (error) {
    // A file that is read leniently can end in a broken field.
    if (!(error instanceof WireError)) throw error
  }
  return Math.min(offset, bytes.length)
}
