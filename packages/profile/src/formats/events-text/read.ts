// Reads the text form of the timestamped-events proposal: converts the text to the equivalent bytes, which `events` reads.
// Errors are reported at their position in the text.
import { readEventProfile } from '../events/read.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError } from '../format.ts'
import { encodeText } from './encode.ts'
import { WireError } from '../../wire/wire-error.ts'

const FORMAT = 'events-text'
/** The bytes can be seven times the text: an empty message `{}` has a tag and a length of five bytes. */
const MAX_BYTES = 2 ** 28

export function readEventsText(text: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (text.length > MAX_BYTES)
    throw new FormatError(FORMAT, MAX_BYTES, `input of ${text.length} bytes is larger than 256 MiB`)
  const lenient = options.lenient ?? false
  try {
    const encoded = encodeText(text, lenient)
    const { stoppedBy, unknownFields } = encoded
    const result = readEncoded(encoded, options, text.length)
    const notes = [...result.notes]
    if (stoppedBy !== undefined) {
      notes.push({
        code: 'truncated',
        count: 1,
        message: `the text was read up to byte ${stoppedBy.offset}: ${stoppedBy.what}`,
        isDamage: true,
      })
    }
    if (unknownFields > 0) {
      notes.push({
        code: 'unknown-fields',
        count: unknownFields,
        message: 'fields that the proposal does not define were dropped',
      })
    }
    return { ...result, notes }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    throw new FormatError(FORMAT, error.offset, error.what, lineOf(text, error.offset))
  }
}

function readEncoded(encoded: ReturnType<typeof encodeText>, options: ReadOptions, textBytes: number): ReadResult {
  try {
    return readEventProfile(encoded.bytes, options, textBytes)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new FormatError(FORMAT, encoded.offsetOf(error.offset), error.what, error.path)
  }
}

function lineOf(text: Uint8Array, offset: number): string {
  let line = 1
  for (let i = 0; i < offset; i++) if (text[i] === 0x0a) line++
  return `line ${line}`
}
