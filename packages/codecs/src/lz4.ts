// Decompresses LZ4 frames. Checksums are skipped: the decoder of the content finds damage.
// https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md and lz4_Block_format.md
import { CodecError, Output, littleEndian, slice } from './codec-error.ts'

const MAGIC = 0x184d2204
const FIRST_SKIPPABLE = 0x184d2a50
const LAST_SKIPPABLE = 0x184d2a5f
const UNCOMPRESSED = 0x80000000
const VERSION = 1
const BLOCK_CHECKSUM = 0x10
const CONTENT_SIZE = 0x08
const CONTENT_CHECKSUM = 0x04
const DICTIONARY = 0x01
const MIN_MATCH = 4

/** Throws CodecError. */
export function openLz4(bytes: Uint8Array, limit: number): Uint8Array {
  const output = new Output(limit)
  if (bytes.length === 0) throw new CodecError('corrupt', 'truncated at byte 0')
  let at = 0
  while (at < bytes.length) {
    const magic = littleEndian(bytes, at, 4)
    if (magic === MAGIC) at = readFrame(bytes, at + 4, output)
    else if (magic >= FIRST_SKIPPABLE && magic <= LAST_SKIPPABLE) at += 8 + littleEndian(bytes, at + 4, 4)
    else throw new CodecError('corrupt', `no LZ4 frame at byte ${at}`)
  }
  return output.bytes
}

/** Returns the end of the frame. */
function readFrame(bytes: Uint8Array, start: number, output: Output): number {
  const flags = slice(bytes, start, 3)[0]
  if (flags >> 6 !== VERSION) throw new CodecError('corrupt', `unknown LZ4 version ${flags >> 6}`)
  if ((flags & DICTIONARY) !== 0) throw new CodecError('corrupt', 'the frame requires a dictionary')
  const checksum = (flags & BLOCK_CHECKSUM) === 0 ? 0 : 4
  let at = start + 3 + ((flags & CONTENT_SIZE) === 0 ? 0 : 8)
  for (;;) {
    const header = littleEndian(bytes, at, 4)
    at += 4
    if (header === 0) break
    const isPlain = header >= UNCOMPRESSED
    const block = slice(bytes, at, isPlain ? header - UNCOMPRESSED : header)
    if (isPlain) output.append(block)
    else readBlock(block, output)
    at += block.length + checksum
  }
  return at + ((flags & CONTENT_CHECKSUM) === 0 ? 0 : 4)
}

function readBlock(bytes: Uint8Array, output: Output): void {
  let at = 0
  const extended = (nibble: number): number => {
    let length = nibble
    if (nibble < 15) return length
    for (;;) {
      const more = slice(bytes, at++, 1)[0]
      length += more
      if (more < 255) return length
    }
  }
  while (at < bytes.length) {
    const token = bytes[at++]
    const literals = extended(token >> 4)
    output.append(slice(bytes, at, literals))
    at += literals
    // The last sequence has literals only.
    if (at === bytes.length) return
    const offset = littleEndian(bytes, at, 2)
    at += 2
    output.copy(offset, extended(token & 15) + MIN_MATCH)
  }
}
