// Walks the frames and blocks of zstd data (RFC 8878, section 3.1) without decompressing, to find out how large the
// content can be and whether it is complete. Decoders allocate the size that a header declares. Here that size is
// compared with the number of blocks, each of which has at most 128 KiB.
//
//   frame    magic 4 | descriptor 1 | window 0-1 | dictionary id 0-4 | content size 0-8 | blocks … | checksum 0 or 4
//   block    header 3: last 1 bit, type 2 bits, size 21 bits | content: size bytes, 1 byte for a run

const MAGIC = 0xfd2fb528
const MAX_BLOCK = 128 * 1024

export interface ZstdSizes {
  /** The content is not larger than this. */
  readonly bound: number
  /** Whether every frame declares its size. Then `bound` is the size. */
  readonly declared: boolean
}

export class ZstdError extends Error {
  override readonly name = 'ZstdError'
  readonly offset: number

  constructor(offset: number, what: string) {
    super(`${what} at byte ${offset}`)
    this.offset = offset
  }
}

/** The maximum window that decoders accept by default. */
const MAX_WINDOW_BITS = 27

/** The number of complete blocks before the data is truncated or invalid. */
export function zstdBlocks(bytes: Uint8Array): number {
  let count = 0
  eachBlock(bytes, () => count++)
  return count
}

/**
 * Returns zstd data with only the first `count` blocks of other zstd data, without checksums and declared sizes. So truncated
 * data can be decompressed up to its last complete block. A block has up to 128 KiB of content.
 */
export function firstBlocks(bytes: Uint8Array, count: number): Uint8Array {
  const parts: Uint8Array[] = []
  let header: Uint8Array | undefined
  let frame = -1
  let left = count
  eachBlock(bytes, block => {
    if (left-- <= 0) return
    if (block.frame !== frame) {
      endFrame(header)
      frame = block.frame
      parts.push(undeclaredHeader(bytes, frame))
    }
    // A copy, because its last-block bit is set later if no block follows.
    header = Uint8Array.from(bytes.subarray(block.from, block.from + 3))
    header[0] &= ~1
    parts.push(header, bytes.subarray(block.from + 3, block.to))
  })
  endFrame(header)
  return Buffer.concat(parts)
}

function endFrame(header: Uint8Array | undefined): void {
  if (header !== undefined) header[0] |= 1
}

interface Block {
  /** The start of its frame. */
  readonly frame: number
  readonly from: number
  readonly to: number
}

/** Visits the blocks of all frames up to the first fault. */
function eachBlock(bytes: Uint8Array, visit: (block: Block) => void): void {
  try {
    walkFrames(bytes, visit)
  } catch (error) {
    if (!(error instanceof ZstdError)) throw error
  }
}

/** A header with a window for the frame's content. A frame of a single segment declares its size instead of a window. */
function undeclaredHeader(bytes: Uint8Array, start: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const { isSingle, dictionaryBytes, size } = headerAt(bytes, view, start)
  const dictionary = bytes.subarray(start + 5 + (isSingle ? 0 : 1)).subarray(0, dictionaryBytes)
  // No size and no checksum. The dictionary id stays the same.
  const descriptor = bytes[start + 4] & 3
  return Uint8Array.of(
    ...bytes.subarray(start, start + 4),
    descriptor,
    isSingle ? windowFor(size) : bytes[start + 5],
    ...dictionary,
  )
}

/** The window descriptor of the smallest power of two, at least 1 KiB, that holds this many bytes. */
function windowFor(size: bigint | undefined): number {
  let bits = 10
  while (bits < MAX_WINDOW_BITS && 1n << BigInt(bits) < (size ?? 0n)) bits++
  return (bits - 10) << 3
}

/** Throws ZstdError if the data is truncated or is not zstd. */
export function zstdSizes(bytes: Uint8Array): ZstdSizes {
  return walkFrames(bytes, () => undefined)
}

function walkFrames(bytes: Uint8Array, visit: (block: Block) => void): ZstdSizes {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let bound = 0
  let declared = true
  for (let p = 0; p < bytes.length;) {
    need(bytes, p, p, 4, 'the start of a frame')
    const magic = view.getUint32(p, true)
    if (magic >>> 4 === 0x184d2a5) {
      need(bytes, p, p + 4, 4, 'the length of a skippable frame')
      const length = view.getUint32(p + 4, true)
      need(bytes, p, p + 8, length, 'a skippable frame')
      p += 8 + length
      continue
    }
    if (magic !== MAGIC) throw new ZstdError(p, 'not the start of a zstd frame')
    const frame = frameAt(bytes, view, p, visit)
    bound += frame.bound
    declared &&= frame.declared
    p = frame.end
  }
  return { bound, declared }
}

interface Frame extends ZstdSizes {
  readonly end: number
}

interface Header {
  readonly hasChecksum: boolean
  /** One segment: the window is as large as the content and has no descriptor. */
  readonly isSingle: boolean
  readonly dictionaryBytes: number
  /** The declared content size. */
  readonly size: bigint | undefined
  readonly end: number
}

function headerAt(bytes: Uint8Array, view: DataView, start: number): Header {
  need(bytes, start, start + 4, 1, 'a frame header')
  const descriptor = bytes[start + 4]
  const isSingle = (descriptor & 0x20) !== 0
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >>> 6]
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]
  const sizeAt = start + 5 + (isSingle ? 0 : 1) + dictionaryBytes
  need(bytes, start, sizeAt, sizeBytes, 'a frame header')
  const size = sizeBytes === 0 ? undefined : contentSize(view, sizeAt, sizeBytes)
  return { hasChecksum: (descriptor & 4) !== 0, isSingle, dictionaryBytes, size, end: sizeAt + sizeBytes }
}

function frameAt(bytes: Uint8Array, view: DataView, start: number, visit: (block: Block) => void): Frame {
  const { hasChecksum, size, end } = headerAt(bytes, view, start)
  let p = end
  let atMost = 0
  for (let last = false; !last;) {
    need(bytes, start, p, 3, 'a block header')
    const header = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16)
    last = (header & 1) !== 0
    const type = (header >>> 1) & 3
    const length = header >>> 3
    if (type === 3) throw new ZstdError(p, 'zstd block of an unknown type')
    if (length > MAX_BLOCK) throw new ZstdError(p, `zstd block of ${length} bytes exceeds the maximum`)
    // 0: stored, 1: one byte `length` times, 2: compressed, for which only the limit is known.
    need(bytes, start, p + 3, type === 1 ? 1 : length, 'a block')
    atMost += type === 2 ? MAX_BLOCK : length
    const from = p
    p += 3 + (type === 1 ? 1 : length)
    visit({ frame: start, from, to: p })
  }
  if (hasChecksum) {
    need(bytes, start, p, 4, 'a checksum')
    p += 4
  }
  if (size !== undefined && size > atMost) {
    throw new ZstdError(start, `zstd frame that declares ${size} bytes but has blocks for at most ${atMost}`)
  }
  return { bound: size === undefined ? atMost : Number(size), declared: size !== undefined, end: p }
}

function contentSize(view: DataView, at: number, bytes: number): bigint {
  if (bytes === 1) return BigInt(view.getUint8(at))
  // Two bytes store the size minus 256, because smaller sizes fit one byte.
  if (bytes === 2) return BigInt(view.getUint16(at, true) + 256)
  return bytes === 4 ? BigInt(view.getUint32(at, true)) : view.getBigUint64(at, true)
}

function need(bytes: Uint8Array, frame: number, at: number, length: number, what: string): void {
  if (length <= bytes.length - at) return
  throw new ZstdError(
    bytes.length,
    `zstd data ends within ${what} of the frame at byte ${frame}: the data is truncated`,
  )
}
