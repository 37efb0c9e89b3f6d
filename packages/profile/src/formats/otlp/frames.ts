// The Collector's file exporter writes one message after another, each behind its length as four bytes, highest first, and
// each compressed on its own if compression is on. A bare message cannot be mistaken for that: its first byte is a tag,
// and tags begin at 8, while a length that begins with 8 would be of 128 MiB and more.
import type { Codecs } from '../../wire/compression/compression.ts'
import { CompressionError, DEFAULT_LIMIT, compressionOf, decompress } from '../../wire/compression/compression.ts'
import type { NoteList } from '../format.ts'
import { FormatError } from '../format.ts'

export interface Frame {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
  /** Whether the file ends within it; only where that is no error. */
  readonly isCut?: boolean
}

export function isFramed(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] < 8
}

/** How far to go where a file is broken. */
export interface FrameOptions {
  readonly codecs?: Codecs | undefined
  /** Where it is given, a message that is cut off is returned as far as it is there. */
  readonly notes?: NoteList | undefined
}

/** The messages of a file: one, unless it is framed. Throws FormatError where lengths don't fit. */
export function framesOf(bytes: Uint8Array, format: string, { codecs, notes }: FrameOptions): Frame[] {
  if (!isFramed(bytes)) return [{ bytes, from: 0, to: bytes.length }]
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const frames: Frame[] = []
  for (let p = 0; p < bytes.length;) {
    const left = bytes.length - p - 4
    const length = left < 0 ? Infinity : view.getUint32(p)
    const isCut = length > left
    // A file of which not even the first message begins is none.
    if (isCut && (notes === undefined || (left <= 0 && frames.length === 0))) {
      const what =
        left < 0
          ? 'the length of a message is cut off'
          : `a message of ${length} bytes runs past the end of the file (${left} bytes left)`
      throw new FormatError(format, p, what, `message[${frames.length}]`)
    }
    if (isCut && left <= 0) {
      notes?.add('truncated', `the file breaks off at byte ${p}, where a message begins`)
      break
    }
    const frame = { bytes, from: p + 4, to: p + 4 + Math.min(length, left), isCut }
    frames.push(opened(frame, codecs, notes))
    p = frame.to
  }
  return frames
}

/** What a note says where the file ends within a message, but not within one of its parts. */
export function frameCut({ to }: Frame): string {
  return `the last message breaks off at byte ${to}, between two of its parts`
}

function opened(frame: Frame, codecs: Codecs | undefined, notes: NoteList | undefined): Frame {
  const message = frame.bytes.subarray(frame.from, frame.to)
  if (compressionOf(message) === 'none') return frame
  try {
    const { bytes, faults } = decompress(message, codecs, DEFAULT_LIMIT, { lenient: notes !== undefined })
    for (const { code, message: what } of faults) notes?.add(code, `${what}, in the message at byte ${frame.from - 4}`)
    return { ...frame, bytes, from: 0, to: bytes.length }
  } catch (error) {
    if (notes === undefined || !(error instanceof CompressionError) || error.reason !== 'corrupt') throw error
    notes.add('skipped-messages', 'messages of which nothing could be read were left out')
    return { ...frame, from: frame.to }
  }
}
