// Compressed records hold one zstd stream in pieces: perf flushes it after each buffer from the kernel and never ends it. Decoders
// for complete frames require an end, so this joins the pieces and closes the open frame.
//
//   frame   magic 4 | descriptor 1 | window 0-1 | dictionary id 0-4 | content size 0-8 | blocks… | checksum 0 or 4
//   block   header 3: last 1 bit, type 2 bits, size 21 bits | content: size bytes, 1 byte for a run

const MAGIC = 0xfd2fb528
const CHECKSUM_FLAG = 4
const SINGLE_SEGMENT_FLAG = 0x20
const RUN_BLOCK = 1
/** An empty, uncompressed last block. */
const LAST_BLOCK = [1, 0, 0]

export interface ZstdFrames {
  /** Complete frames. */
  readonly bytes: Uint8Array
  /** The number of bytes at the end that belong to an incomplete block. */
  readonly cutOff: number
}

/** Returns undefined if the pieces do not begin with a zstd frame. */
export function joinZstdPieces(pieces: readonly Uint8Array[]): ZstdFrames | undefined {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const bytes = new Uint8Array(length + LAST_BLOCK.length)
  let to = 0
  for (const piece of pieces) {
    bytes.set(piece, to)
    to += piece.length
  }
  let at = 0
  while (at < length) {
    const frame = walkFrame(bytes, at, length)
    if (frame === undefined) return at === 0 ? undefined : { bytes: bytes.subarray(0, at), cutOff: length - at }
    // A checksum that is missing, or that covers unknown content, must not be announced.
    if (!frame.isComplete) bytes[at + 4] &= ~CHECKSUM_FLAG
    if (!frame.isOpen) {
      if (!frame.isComplete) return { bytes: bytes.subarray(0, frame.end), cutOff: length - frame.end }
      at = frame.end
      continue
    }
    bytes.set(LAST_BLOCK, frame.end)
    return { bytes: bytes.subarray(0, frame.end + LAST_BLOCK.length), cutOff: length - frame.end }
  }
  return length === 0 ? undefined : { bytes: bytes.subarray(0, length), cutOff: 0 }
}

interface Frame {
  /** The end of its last complete block, or of its checksum. */
  readonly end: number
  /** True if it has no last block. */
  readonly isOpen: boolean
  /** True if it has everything that its header announces. */
  readonly isComplete: boolean
}

function walkFrame(bytes: Uint8Array, start: number, length: number): Frame | undefined {
  if (start + 5 > length) return undefined
  const magic = bytes[start] | (bytes[start + 1] << 8) | (bytes[start + 2] << 16) | (bytes[start + 3] << 24)
  if (magic !== (MAGIC | 0)) return undefined
  const descriptor = bytes[start + 4]
  const isSingle = (descriptor & SINGLE_SEGMENT_FLAG) !== 0
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >>> 6]
  let at = start + 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3] + sizeBytes
  if (at > length) return undefined
  for (;;) {
    if (at + 3 > length) return { end: at, isOpen: true, isComplete: false }
    const header = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)
    const type = (header >>> 1) & 3
    const end = at + 3 + (type === RUN_BLOCK ? 1 : header >>> 3)
    if (end > length) return { end: at, isOpen: true, isComplete: false }
    at = end
    if ((header & 1) === 0) continue
    const close = (descriptor & CHECKSUM_FLAG) === 0 ? at : at + 4
    const isComplete = close <= length
    return { end: isComplete ? close : at, isOpen: false, isComplete }
  }
}
