// Walks the frames and blocks of zstd data (RFC 8878, section 3.1) without decompressing, to know beforehand how large the
// content can be and whether all of it is there. Decoders allocate by the size that a header declares; here that size is
// held against the number of blocks, each of which has at most 128 KiB.
//
//   frame    magic 4 | descriptor 1 | window 0-1 | dictionary id 0-4 | content size 0-8 | blocks … | checksum 0 or 4
//   block    header 3: last 1 bit, type 2 bits, size 21 bits | content: size bytes, 1 byte for a run

const MAGIC = 0xfd2fb528
const MAX_BLOCK = 128 * 1024

export interface ZstdSizes {
  /** The content is not larger than this. */
  readonly bound: number
  /** Whether every frame declares its size, so that `bound` is the size itself. */
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

/** Throws ZstdError where the data is cut off or is not zstd. */
export function zstdSizes(bytes: Uint8Array): ZstdSizes {
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
    const frame = frameAt(bytes, view, p)
    bound += frame.bound
    declared &&= frame.declared
    p = frame.end
  }
  return { bound, declared }
}

interface Frame extends ZstdSizes {
  readonly end: number
}

function frameAt(bytes: Uint8Array, view: DataView, start: number): Frame {
  need(bytes, start, start + 4, 1, 'a frame header')
  const descriptor = bytes[start + 4]
  const single = (descriptor & 0x20) !== 0
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][descriptor >>> 6]
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]
  const sizeAt = start + 5 + (single ? 0 : 1) + dictionaryBytes
  need(bytes, start, sizeAt, sizeBytes, 'a frame header')
  const size = sizeBytes === 0 ? undefined : contentSize(view, sizeAt, sizeBytes)

  let p = sizeAt + sizeBytes
  let atMost = 0
  for (let last = false; !last;) {
    need(bytes, start, p, 3, 'a block header')
    const header = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16)
    last = (header & 1) !== 0
    const type = (header >>> 1) & 3
    const length = header >>> 3
    if (type === 3) throw new ZstdError(p, 'zstd block of a type that does not exist')
    if (length > MAX_BLOCK) throw new ZstdError(p, `zstd block of ${length} bytes, more than a block can have`)
    // 0: as it is, 1: one byte `length` times, 2: compressed, of which only the limit is known.
    need(bytes, start, p + 3, type === 1 ? 1 : length, 'a block')
    atMost += type === 2 ? MAX_BLOCK : length
    p += 3 + (type === 1 ? 1 : length)
  }
  if ((descriptor & 4) !== 0) {
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
  // Two bytes hold what is above 255, the most that one byte can say.
  if (bytes === 2) return BigInt(view.getUint16(at, true) + 256)
  return bytes === 4 ? BigInt(view.getUint32(at, true)) : view.getBigUint64(at, true)
}

function need(bytes: Uint8Array, frame: number, at: number, length: number, what: string): void {
  if (length <= bytes.length - at) return
  throw new ZstdError(bytes.length, `zstd data ends within ${what} of the frame at byte ${frame}: cut off`)
}
