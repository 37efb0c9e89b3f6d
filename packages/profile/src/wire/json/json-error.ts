// The error for invalid or unexpected JSON, with its byte offset, line, column and path.
import { decodeUtf8 } from '../utf8.ts'

export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly what: string
  readonly offset: number
  /** Line and column count from 1. The column counts characters. */
  readonly line: number
  readonly column: number
  /** For example `resourceProfiles[0].scopeProfiles[1]`. Empty at the top level. */
  readonly path: string

  constructor(bytes: Uint8Array, offset: number, what: string, path: string, format = '') {
    const { line, column } = positionOf(bytes, offset)
    const inPath = path === '' ? '' : `, in ${path}`
    const prefix = format === '' ? '' : `${format}: `
    super(`${prefix}${what} at byte ${offset} (line ${line}, column ${column}${inPath})`)
    this.what = what
    this.offset = offset
    this.line = line
    this.column = column
    this.path = path
  }
}

interface TextPosition {
  /** The start of the text in its buffer: readers of parts have views of one buffer. */
  readonly text: number
  readonly offset: number
  readonly line: number
  readonly column: number
}

/**
 * The position of the last error in a text. Lenient readers meet many errors in order, so each position is computed from the
 * previous one. Computed from the start of the text, 100,000 errors would take minutes.
 */
const lastPositions = new WeakMap<ArrayBufferLike, TextPosition>()

function positionOf(bytes: Uint8Array, offset: number): TextPosition {
  const text = bytes.byteOffset
  const last = lastPositions.get(bytes.buffer)
  const isUsable = last !== undefined && last.text === text && last.offset <= offset
  const from = isUsable ? last : { text, offset: 0, line: 1, column: 1 }
  // Searches only up to the offset: the text after it may be 200 MB without another line break.
  const before = bytes.subarray(0, offset)
  let { line, column } = from
  let start = from.offset
  for (let at = before.indexOf(0x0a, start); at >= 0; at = before.indexOf(0x0a, at + 1)) {
    line++
    column = 1
    start = at + 1
  }
  for (let i = start; i < offset; i++) if ((bytes[i] & 0xc0) !== 0x80) column++
  const position = { text, offset, line, column }
  lastPositions.set(bytes.buffer, position)
  return position
}

const MAX_KEY_LENGTH = 64

/** Returns one step of a path: `.name`, or `["any other name"]`. `first` omits the dot. */
export function pathStep(bytes: Uint8Array, from: number, to: number, first: boolean): string {
  const cut = to - from > MAX_KEY_LENGTH
  const name = decodeUtf8(bytes, from, cut ? from + MAX_KEY_LENGTH : to)
  if (!cut && /^[\w$@-]+$/.test(name)) return first ? name : `.${name}`
  return `["${name}${cut ? '…' : ''}"]`
}
