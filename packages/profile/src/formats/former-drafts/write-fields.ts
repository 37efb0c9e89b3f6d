// Writes fields that several former drafts share, and tables that are encoded in another order than they have in the file.
// The last field is written first, as in wire/protobuf/backward-writer.ts.
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'

/** Writes a signed or unsigned 64-bit number. Omits 0. */
export function writeLong(out: BackwardWriter, tag: number, value: bigint): void {
  out.varint64Field(tag, lowHalf(value), highHalf(value))
}

/** Omits empty bytes. */
export function writeBytes(out: BackwardWriter, tag: number, bytes: Uint8Array): void {
  if (bytes.length > 0) out.bytesField(tag, bytes, 0, bytes.length)
}

/** Writes a packed list of unsigned numbers. Omits an empty list. */
export function writePacked(out: BackwardWriter, tag: number, ints: Int32Array, from: number, to: number): void {
  if (from === to) return
  const mark = out.written
  out.reserve((to - from) * 5)
  for (let k = to - 1; k >= from; k--) out.rawVarint32(ints[k])
  out.messageHeader(tag, mark)
}

/** Returns the bytes that `write` writes. */
export function section(write: (out: BackwardWriter) => void): Uint8Array {
  const out = new BackwardWriter(1024)
  write(out)
  return out.finish()
}

/** Writes sections, given in file order. */
export function writeSections(out: BackwardWriter, sections: readonly Uint8Array[]): void {
  for (const part of sections.toReversed()) out.raw(part, 0, part.length)
}
