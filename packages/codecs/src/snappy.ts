// Decompresses Snappy, in the framed stream format and in the block format. The Collector sends framed Snappy over gRPC, and
// either over HTTP. https://github.com/google/snappy: framing_format.txt and format_description.txt
import { CodecError, Output, littleEndian, slice } from './codec-error.ts'

const STREAM_START = Uint8Array.of(0xff, 6, 0, 0, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59)
const COMPRESSED = 0
const UNCOMPRESSED = 1
const FIRST_SKIPPABLE = 0x80
const CHECKSUM_BYTES = 4
const MAX_VARINT_BYTES = 5

/** Throws CodecError. */
export function openSnappy(bytes: Uint8Array, limit: number): Uint8Array {
  const output = new Output(limit)
  if (STREAM_START.every((byte, i) => bytes[i] === byte)) readFrames(bytes, output)
  else readBlock(bytes, output)
  return output.bytes
}

function readFrames(bytes: Uint8Array, output: Output): void {
  let at = 0
  while (at < bytes.length) {
    const type = bytes[at]
    const length = littleEndian(bytes, at + 1, 3)
    const chunk = slice(bytes, at + 4, length)
    at += 4 + length
    if (type >= FIRST_SKIPPABLE) continue
    if (type > UNCOMPRESSED) throw new CodecError('corrupt', `unknown chunk type ${type}`)
    const from = output.length
    const checksum = littleEndian(chunk, 0, CHECKSUM_BYTES)
    const content = chunk.subarray(CHECKSUM_BYTES)
    if (type === COMPRESSED) readBlock(content, output)
    else output.append(content)
    if (maskedChecksum(output.bytes.subarray(from)) !== checksum) throw new CodecError('corrupt', 'wrong checksum')
  }
}

function readBlock(bytes: Uint8Array, output: Output): void {
  let size = 0
  let at = 0
  for (let shift = 0; ; shift += 7) {
    const byte = slice(bytes, at++, 1)[0]
    size += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) break
    if (at === MAX_VARINT_BYTES) throw new CodecError('corrupt', 'the size has more than five bytes')
  }
  const end = output.length + size
  while (at < bytes.length) {
    const tag = bytes[at++]
    const kind = tag & 3
    if (kind === 0) {
      let length = tag >> 2
      if (length >= 60) {
        const width = length - 59
        length = littleEndian(bytes, at, width)
        at += width
      }
      output.append(slice(bytes, at, length + 1))
      at += length + 1
    } else {
      const width = kind === 3 ? 4 : kind
      const low = littleEndian(bytes, at, width)
      at += width
      if (kind === 1) output.copy(((tag >> 5) << 8) | low, ((tag >> 2) & 7) + 4)
      else output.copy(low, (tag >> 2) + 1)
    }
    if (output.length > end) break
  }
  if (output.length !== end) throw new CodecError('corrupt', `the content does not have the declared ${size} bytes`)
}

const CASTAGNOLI = 0x82f63b78
const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ CASTAGNOLI : value >>> 1
  return value >>> 0
})

/** CRC-32C, masked as the framing format requires. */
function maskedChecksum(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 0xff]
  crc = ~crc >>> 0
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
