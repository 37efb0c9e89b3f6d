// ResourceProfiles and ScopeProfiles around profiles of a former form: these two messages and their numbers were the same
// in every draft of the data format.
import type { Profiles } from '../model/profiles.ts'
import { RESOURCE_STRIDE } from '../model/profiles.ts'
import { BackwardWriter } from '../wire/backward-writer.ts'

/** Field `profiles` of ScopeProfiles, in which each profile goes. */
export const PROFILES_TAG = 0x12

/** `writeScope` writes the profiles of a scope, the last one first, each under PROFILES_TAG. */
export function writeEnvelope(
  profiles: Profiles,
  writeScope: (writer: BackwardWriter, scope: number) => void,
): Uint8Array {
  const { resources, scopes, dictionary } = profiles
  const writer = new BackwardWriter(1 << 16)
  const message = (table: typeof resources | typeof scopes, i: number, part: number, tag: number): void => {
    const at = table.base + i * RESOURCE_STRIDE + part
    const length = table.ints[at + 1]
    if (length > 0) writer.bytesField(tag, dictionary.bytes, table.ints[at], table.ints[at] + length)
  }
  for (let r = resources.length - 1; r >= 0; r--) {
    const mark = writer.written
    message(resources, r, 2, 0x1a)
    for (let s = resources.to(r) - 1; s >= resources.from(r); s--) {
      const scopeMark = writer.written
      message(scopes, s, 2, 0x1a)
      writeScope(writer, s)
      message(scopes, s, 0, 0x0a)
      writer.messageHeader(0x12, scopeMark)
    }
    message(resources, r, 0, 0x0a)
    writer.messageHeader(0x0a, mark)
  }
  return writer.finish()
}

/** A packed list of unsigned numbers; nothing where it is empty. */
export function writePacked(writer: BackwardWriter, tag: number, ints: Int32Array, from: number, to: number): void {
  if (from === to) return
  const mark = writer.written
  writer.reserve((to - from) * 5)
  for (let k = to - 1; k >= from; k--) writer.rawVarint32(ints[k])
  writer.messageHeader(tag, mark)
}

/** What `write` writes, by itself: for tables that are made in another order than they stand in the file. */
export function section(write: (out: BackwardWriter) => void): Uint8Array {
  const out = new BackwardWriter(1024)
  write(out)
  return out.finish()
}
