// An id for a profile without one. The drafts require an id. It is a hash of the content, so that equal input gives equal files.
import { sha256 } from '../../wire/sha256.ts'

const ID_BYTES = 16

/** `content` is a part of the encoded profile, `row` its row in the payload. */
export function generatedId(content: Uint8Array, time: bigint, row: number): Uint8Array {
  const bytes = new Uint8Array(content.length + 12)
  bytes.set(content)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(content.length, time)
  view.setUint32(content.length + 8, row)
  return sha256(bytes).subarray(0, ID_BYTES)
}
