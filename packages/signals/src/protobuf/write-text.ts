// Writes a string field's content.
import type { BackwardWriter } from '@hearth/profile'
import { encodeUtf8Into, utf8Length } from '@hearth/profile'

/** Enough bytes for a tag and any number. */
export const ROOM = 16

export function writeText(writer: BackwardWriter, value: string): void {
  const length = utf8Length(value)
  writer.reserve(length + ROOM)
  writer.pos -= length
  encodeUtf8Into(value, writer.bytes, writer.pos)
  writer.rawVarint32(length)
}
