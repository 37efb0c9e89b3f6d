// Reads the framing of the Collector's file exporter: messages one after another, each after its length as four bytes, most
// significant first, and each compressed separately if compression is on. A bare message cannot be mistaken for a frame: it
// starts with a tag of at least 8, and a length that starts with 8 would be 128 MiB or more.
import type { Codecs } from '../../wire/compression/compression.ts'
import { CompressionError, DEFAULT_LIMIT, compressionOf, decompress } from '../../wire/compression/compression.ts'
import type { NoteList } from '../format.ts'
import { FormatError } from '../format.ts'

export interface MessageFrame {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
  /** Whether the file ends within the message. Only set in lenient mode. */
  readonly isCut?: boolean
}

export function isFramed(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] < 8
}

export interface MessageFrameOptions {
  readonly codecs?: Codecs | undefined
  /** If given, errors become notes, and a truncated message is returned as far as it goes. */
  readonly notes?: NoteList | undefined
}

/** Returns the messages of a file: one, unless it is framed. Throws FormatError for invalid lengths. */
export function framesOf(bytes: Uint8Array, format: string, { codecs, notes }: MessageFrameOptions): MessageFrame[] {
  if (!isFramed(bytes)) return [{ bytes, from: 0, to: bytes.length }]
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const frames: MessageFrame[] = []
  for (let p = 0; p < bytes.length;) {
    const left = bytes.length - p - 4
    const length = left < 0 ? Infinity : view.getUint32(p)
    const isCut = length > left
    // A file that ends within its first length contains no message.
    if (isCut && (notes === undefined || (left <= 0 && frames.length === 0))) {
      const what =
        left < 0
          ? 'the length of a message is truncated'
          : `a message of ${length} bytes runs past the end of the file (${left} bytes left)`
      throw new FormatError(format, p, what, `message[${frames.length}]`)
    }
    if (isCut && left <= 0) {
      notes?.addDamage('truncated', `the file is truncated at byte ${p}, at the start of a message`)
      break
    }
    const frame = { bytes, from: p + 4, to: p + 4 + Math.min(length, left), isCut }
    frames.push(opened(frame, codecs, notes))
    p = frame.to
  }
  return frames
}

/** The note for a file that ends between two parts of its last message. */
export function frameCut({ to }: MessageFrame): string {
  return `the last message is truncated at byte ${to}, between two of its parts`
}

function opened(frame: MessageFrame, codecs: Codecs | undefined, notes: NoteList | undefined): MessageFrame {
  const message = frame.bytes.subarray(frame.from, frame.to)
  if (compressionOf(message) === 'none') return frame
  try {
    const { bytes, faults } = decompress(message, codecs, DEFAULT_LIMIT, { lenient: notes !== undefined })
    for (const { code, message: what } of faults)
      notes?.addDamage(code, `${what}, in the message at byte ${frame.from - 4}`)
    return { ...frame, bytes, from: 0, to: bytes.length }
  } catch (error) {
    if (notes === undefined || !(error instanceof CompressionError) || error.reason !== 'corrupt') throw error
    notes.addDamage('skipped-messages', 'unreadable messages were skipped')
    return { ...frame, from: frame.to }
  }
}
