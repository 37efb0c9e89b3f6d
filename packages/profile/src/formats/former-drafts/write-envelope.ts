// Writes ResourceProfiles and ScopeProfiles around the profiles of a former draft. These two messages and their field numbers
// are the same in every draft.
import type { Profiles } from '../../model/columns/profiles.ts'
import { RESOURCE_STRIDE } from '../../model/columns/profiles.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'

export interface ProfileMessages {
  /** Whether the consecutive profiles `a` and `b` of a scope go into one message. */
  areTogether(a: number, b: number): boolean
  /** Writes the fields of the message with the profiles [from, to) of a scope. */
  write(writer: BackwardWriter, scope: number, from: number, to: number): void
}

export function writeEnvelope(profiles: Profiles, messages: ProfileMessages): Uint8Array {
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
      for (let to = scopes.to(s); to > scopes.from(s);) {
        let from = to - 1
        while (from > scopes.from(s) && messages.areTogether(from - 1, from)) from--
        const profileMark = writer.written
        messages.write(writer, s, from, to)
        writer.messageHeader(0x12, profileMark)
        to = from
      }
      message(scopes, s, 0, 0x0a)
      writer.messageHeader(0x12, scopeMark)
    }
    message(resources, r, 0, 0x0a)
    writer.messageHeader(0x0a, mark)
  }
  return writer.finish()
}
