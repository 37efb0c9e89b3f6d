// Distinguishes event profiles from other protobuf. A pprof file starts with the same tag, but its first field is a type of two
// numbers. An event also has a time, a count or a value, and no other format has its strings in field 11.
import { FIXED64, LEN, ProtoReader, VARINT } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { Confidence } from '../format.ts'
import { EVENT, PROFILE } from './shapes.ts'

const MAX_FIELDS = 200

export function detectEvents(head: Uint8Array): Confidence {
  const reader = new ProtoReader(head)
  let hasNumbers = false
  let hasTypes = false
  let hasStrings = false
  try {
    for (let fields = 0; fields < MAX_FIELDS && reader.tag(); fields++) {
      const { field, wireType } = reader
      if (!isField(field, wireType)) return 'no'
      if (wireType !== LEN) {
        reader.skip()
        continue
      }
      reader.varint64()
      const length = reader.hi === 0 ? reader.lo >>> 0 : Infinity
      const from = reader.pos
      const to = Math.min(from + length, head.length)
      if (field === PROFILE.events) {
        const kind = eventKind(new ProtoReader(head, from, to), to === head.length)
        if (kind === 'none') return 'no'
        if (kind === 'numbered') hasNumbers = true
      } else if (field === PROFILE.event_types) {
        if (!isEventType(new ProtoReader(head, from, to), to === head.length)) return 'no'
        hasTypes = true
      } else if (field === PROFILE.strings) {
        // The first string is empty.
        if (!hasStrings && length !== 0) return 'no'
        hasStrings = true
      }
      reader.pos = to
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    if (reader.pos < head.length) return 'no'
  }
  if (hasNumbers || (hasTypes && hasStrings)) return 'certain'
  return 'no'
}

function isField(field: number, wireType: number): boolean {
  if (field === PROFILE.time_unix_nano) return wireType === FIXED64
  if (field === PROFILE.duration_nanos) return wireType === VARINT
  if (field === PROFILE.comment_string_index) return wireType === LEN || wireType === VARINT
  return wireType === LEN && field !== 2 && field !== 9 && field <= PROFILE.clocks
}

/** `numbered`: it has a time, a duration, a value, a count or a sum. `isCut`: it may be truncated. */
function eventKind(reader: ProtoReader, isCut: boolean): 'none' | 'some' | 'numbered' {
  let isNumbered = false
  try {
    while (reader.tag()) {
      if (reader.field > EVENT.sum) return 'none'
      const isList = reader.field === EVENT.attribute_indices && reader.wireType === LEN
      if (!isList && reader.wireType !== VARINT) return 'none'
      if (reader.field >= EVENT.time) isNumbered = true
      reader.skip()
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    if (!isCut) return 'none'
  }
  return isNumbered ? 'numbered' : 'some'
}

function isEventType(reader: ProtoReader, isCut: boolean): boolean {
  try {
    while (reader.tag()) {
      const isNumber = reader.field <= 4 && reader.wireType === VARINT
      if (!isNumber && reader.field !== 7) return false
      reader.skip()
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return isCut
  }
  return true
}
