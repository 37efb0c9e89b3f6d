// The Collector's file exporter writes one message after another, each behind its length as four bytes, highest first, and
// each compressed on its own if compression is on. A bare message cannot be mistaken for that: its first byte is a tag,
// and tags begin at 8, while a length that begins with 8 would be of 128 MiB and more.
import type { Codecs } from '../../wire/compression.ts'
import { compressionOf, decompress } from '../../wire/compression.ts'
import { FormatError } from '../format.ts'

export interface Frame {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

export function isFramed(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] < 8
}

/**
 * The messages of a file: one, unless it is framed. Throws FormatError where lengths don't fit; with `onCut`, the messages
 * before that are returned, and it is told how many bytes were left.
 */
export function framesOf(
  bytes: Uint8Array,
  format: string,
  codecs: Codecs | undefined,
  onCut?: (left: number) => void,
): Frame[] {
  if (!isFramed(bytes)) return [{ bytes, from: 0, to: bytes.length }]
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const frames: Frame[] = []
  for (let p = 0; p < bytes.length;) {
    const left = bytes.length - p - 4
    if (left < 0 && onCut === undefined)
      throw new FormatError(format, p, 'the length of a message is cut off', `message[${frames.length}]`)
    const length = left < 0 ? 0 : view.getUint32(p)
    if (onCut !== undefined && (left < 0 || length > left)) {
      onCut(bytes.length - p)
      break
    }
    if (length > left) {
      const what = `a message of ${length} bytes runs past the end of the file (${left} bytes left)`
      throw new FormatError(format, p, what, `message[${frames.length}]`)
    }
    p += 4
    const message = bytes.subarray(p, p + length)
    if (compressionOf(message) === 'none') frames.push({ bytes, from: p, to: p + length })
    else {
      const unpacked = decompress(message, codecs).bytes
      frames.push({ bytes: unpacked, from: 0, to: unpacked.length })
    }
    p += length
  }
  return frames
}
