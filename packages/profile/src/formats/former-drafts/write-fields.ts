// Fields that more than one writer of former forms writes, and tables that are made in another order than they stand in the
// file. The last field goes first, as in wire/backward-writer.ts.
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'

/** A number of 64 bits, signed or not; nothing for 0. */
export function writeLong(out: BackwardWriter, tag: number, value: bigint): void {
  out.varint64Field(tag, lowHalf(value), highHalf(value))
}

/** Nothing where they are empty. */
export function writeBytes(out: BackwardWriter, tag: number, bytes: Uint8Array): void {
  if (bytes.length > 0) out.bytesField(tag, bytes, 0, bytes.length)
}

/** A packed list of unsigned numbers; nothing where it is empty. */
export function writePacked(out: BackwardWriter, tag: number, ints: Int32Array, from: number, to: number): void {
  if (from === to) return
  const mark = out.written
  out.reserve((to - from) * 5)
  for (let k = to - 1; k >= from; k--) out.rawVarint32(ints[k])
  out.messageHeader(tag, mark)
}

/** What `write` writes, by itself. */
export function section(write: (out: BackwardWriter) => void): Uint8Array {
  const out = new BackwardWriter(1024)
  write(out)
  return out.finish()
}

/** Sections in the order in which they shall stand. */
export function writeSections(out: BackwardWriter, sections: readonly Uint8Array[]): void {
  for (const part of sections.toReversed()) out.raw(part, 0, part.length)
}
