// Steps through the lines of a text and creates strings only on request. Spaces around a line are not part of it.
import { decodeUtf8 } from '../../wire/utf8.ts'

const LF = 10
const SPACE = 32
const HASH = 35

export class LineReader {
  readonly bytes: Uint8Array
  /** The range of the current line. */
  from = 0
  to = 0
  #next: number

  constructor(bytes: Uint8Array, start = 0) {
    this.bytes = bytes
    this.#next = start
    this.from = start
    this.to = start
  }

  /** The offset of the next line. */
  get nextFrom(): number {
    return Math.min(this.#next, this.bytes.length)
  }

  next(): boolean {
    const { bytes } = this
    if (this.#next >= bytes.length) return false
    const found = bytes.indexOf(LF, this.#next)
    const end = found < 0 ? bytes.length : found
    let from = this.#next
    let to = end
    while (from < to && bytes[from] <= SPACE) from++
    while (to > from && bytes[to - 1] <= SPACE) to--
    this.from = from
    this.to = to
    this.#next = end + 1
    return true
  }

  /** Moves to the next line that is neither blank nor a comment. */
  nextContent(): boolean {
    while (this.next()) if (!this.isBlank && !this.isComment) return true
    return false
  }

  get isBlank(): boolean {
    return this.from === this.to
  }

  get isComment(): boolean {
    return this.bytes[this.from] === HASH && this.from < this.to
  }

  /** The text of the line, or at most its first `limit` bytes. */
  text(limit = Infinity): string {
    return decodeUtf8(this.bytes, this.from, Math.min(this.to, this.from + limit))
  }

  startsWith(text: string): boolean {
    if (this.to - this.from < text.length) return false
    for (let i = 0; i < text.length; i++) if (this.bytes[this.from + i] !== text.charCodeAt(i)) return false
    return true
  }

  /** The offset of the character in the line, or -1. */
  indexOf(character: string): number {
    const found = this.bytes.indexOf(character.charCodeAt(0), this.from)
    return found < 0 || found >= this.to ? -1 : found
  }
}
