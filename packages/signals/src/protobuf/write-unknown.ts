// Writes the unknown fields of messages. Protobuf cannot name members of JSON, and JSON cannot number fields of protobuf, so
// each drops the other's and counts them. Writing is one synchronous call, so one count is enough.
import type { BackwardWriter, JsonWriter, KeyValue } from '@hearth/profile'
import { MemberFilter, writeMembers } from '@hearth/profile'

/** Undefined while members of JSON are written too, which only a reader of this package understands. */
let filter: MemberFilter | undefined = new MemberFilter()
let lost = 0

/** Calls `write` and returns the number of fields that it could not write. */
export function countingLost(write: () => void): number {
  filter = new MemberFilter()
  lost = 0
  write()
  return lost + filter.dropped
}

/** Calls `write`, which writes members of JSON as fields. */
export function withMembers(write: () => void): void {
  filter = undefined
  try {
    write()
  } finally {
    filter = new MemberFilter()
  }
}

export function writeUnknown(writer: BackwardWriter, unknown: Uint8Array): void {
  const fields = filter === undefined ? unknown : filter.fields(unknown)
  writer.raw(fields, 0, fields.length)
}

/** An attribute without the members that cannot be written. */
export function writable(attribute: KeyValue): KeyValue {
  return filter === undefined ? attribute : filter.keyValue(attribute)
}

export function writeUnknownJson(writer: JsonWriter, unknown: Uint8Array): void {
  addLost(writeMembers(writer, unknown))
}

export function addLost(count: number): void {
  lost += count
}
