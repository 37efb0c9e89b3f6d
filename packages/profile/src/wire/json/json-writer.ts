// Writes JSON as UTF-8 bytes, with commas, escapes and optional indentation. 64-bit integers become decimal strings. NaN and
// infinities become their proto3 names.
import { writeInt64, writeUint } from '../decimal.ts'
import type { JsonValue } from './json-reader.ts'
import { decodeUtf8, encodeUtf8Into, isUtf8 } from '../utf8.ts'

export interface JsonWriterOptions {
  /** Spaces per level. 0, the default, writes everything on one line. */
  readonly indent?: number | undefined
}

const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const COLON = 0x3a
const BACKSLASH = 0x5c
const SPACE = 0x20
const NEWLINE = 0x0a
const OPEN_ARRAY = 0x5b
const OPEN_OBJECT = 0x7b

// The longest text of a double or a 64-bit integer with quotes, rounded up.
const NUMBER_ROOM = 32
// \u00XX. Long strings are written in pieces, so that the space reserved for the worst case stays small.
const MAX_BYTES_PER_CHARACTER = 6
const PIECE = 4096

// The byte after the backslash. `u` means \u00XX, 0 means no escape.
const ESCAPES = new Uint8Array(256)
ESCAPES.fill(0x75, 0, 0x20)
for (const [code, letter] of ['""', '\\\\', '\bb', '\ff', '\nn', '\rr', '\tt']) {
  ESCAPES[code.charCodeAt(0)] = letter.charCodeAt(0)
}

export class JsonWriter {
  private bytes = new Uint8Array(256)
  private length = 0
  private readonly indent: number
  // The missing closing brackets, innermost last.
  private readonly open: number[] = []
  // Whether a value, or a key, precedes this position in the same object or array.
  private comma = false
  private afterKey = false

  constructor(options: JsonWriterOptions = {}) {
    this.indent = options.indent ?? 0
  }

  beginObject(): void {
    this.begin(OPEN_OBJECT)
  }

  endObject(): void {
    this.end(OPEN_OBJECT + 2)
  }

  beginArray(): void {
    this.begin(OPEN_ARRAY)
  }

  endArray(): void {
    this.end(OPEN_ARRAY + 2)
  }

  key(name: string): void {
    if (this.afterKey || this.open.at(-1) !== OPEN_OBJECT + 2) throw new Error(`unexpected key "${name}"`)
    this.separate()
    this.quoted(name)
    this.byte(COLON)
    if (this.indent > 0) this.byte(SPACE)
    this.afterKey = true
  }

  /** Lone surrogates become U+FFFD. */
  string(text: string): void {
    this.beforeValue()
    this.quoted(text)
  }

  /** Writes a string given as UTF-8. Invalid bytes become U+FFFD. */
  stringBytes(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    this.beforeValue()
    if (!isUtf8(bytes, from, to)) return this.quoted(decodeUtf8(bytes, from, to))
    this.byte(QUOTE)
    for (let start = from; start < to; start += PIECE) {
      const end = Math.min(to, start + PIECE)
      this.reserve((end - start) * MAX_BYTES_PER_CHARACTER)
      const target = this.bytes
      let at = this.length
      for (let i = start; i < end; i++) {
        const byte = bytes[i]
        if (ESCAPES[byte] === 0) target[at++] = byte
        else at = putEscape(byte, target, at)
      }
      this.length = at
    }
    this.byte(QUOTE)
  }

  /** NaN and the infinities are written as strings, as in proto3. */
  number(value: number): void {
    this.beforeValue()
    this.reserve(NUMBER_ROOM)
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER && Math.floor(value) === value && !Object.is(value, -0)) {
      this.length = writeUint(value, this.bytes, this.length)
    } else if (!Number.isFinite(value)) this.quoted(String(value))
    else this.ascii(Object.is(value, -0) ? '-0' : String(value))
  }

  /** Writes a 64-bit integer, given as halves, as a decimal string. */
  int64String(lo: number, hi: number, unsigned = false): void {
    this.beforeValue()
    this.reserve(NUMBER_ROOM)
    this.bytes[this.length] = QUOTE
    this.length = writeInt64(lo, hi, unsigned, this.bytes, this.length + 1)
    this.bytes[this.length++] = QUOTE
  }

  boolean(value: boolean): void {
    this.raw(value ? 'true' : 'false')
  }

  nullValue(): void {
    this.raw('null')
  }

  /** Writes a value that already is JSON. */
  raw(json: string | Uint8Array): void {
    this.beforeValue()
    if (typeof json === 'string') return this.ascii(json)
    this.reserve(json.length)
    this.bytes.set(json, this.length)
    this.length += json.length
  }

  /** Writes a tree. Bigints are written as numbers. */
  value(value: JsonValue): void {
    if (typeof value === 'string') this.string(value)
    else if (typeof value === 'number') this.number(value)
    else if (typeof value === 'boolean') this.boolean(value)
    else if (typeof value === 'bigint') this.raw(String(value))
    else if (value === null) this.nullValue()
    else if (Array.isArray(value)) {
      this.beginArray()
      for (const item of value) this.value(item)
      this.endArray()
    } else {
      this.beginObject()
      for (const [key, member] of Object.entries(value)) {
        this.key(key)
        this.value(member)
      }
      this.endObject()
    }
  }

  /** Returns the written bytes. The writer must not be used afterwards. */
  finish(): Uint8Array {
    if (this.open.length > 0) throw new Error(`${this.open.length} objects or arrays are still open`)
    return this.bytes.slice(0, this.length)
  }

  private begin(bracket: number): void {
    this.beforeValue()
    this.byte(bracket)
    this.open.push(bracket + 2)
    this.comma = false
  }

  private end(bracket: number): void {
    if (this.afterKey || this.open.at(-1) !== bracket) throw new Error(`unexpected '${String.fromCharCode(bracket)}'`)
    this.open.pop()
    if (this.comma) this.newLine()
    this.byte(bracket)
    this.comma = true
  }

  private beforeValue(): void {
    if (this.afterKey) this.afterKey = false
    else if (this.open.at(-1) === OPEN_OBJECT + 2) throw new Error('no key before a value of an object')
    else this.separate()
    this.comma = true
  }

  // Each value at the top level has its own line.
  private separate(): void {
    if (this.open.length === 0) {
      if (this.comma) this.byte(NEWLINE)
      return
    }
    if (this.comma) this.byte(COMMA)
    this.newLine()
  }

  private newLine(): void {
    if (this.indent === 0) return
    const width = this.open.length * this.indent
    this.reserve(width + 1)
    this.bytes[this.length++] = NEWLINE
    this.bytes.fill(SPACE, this.length, this.length + width)
    this.length += width
  }

  private quoted(text: string): void {
    this.byte(QUOTE)
    for (let from = 0; from < text.length;) {
      let to = Math.min(text.length, from + PIECE)
      // Surrogate pairs are not split.
      if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to++
      this.piece(text, from, to)
      from = to
    }
    this.byte(QUOTE)
  }

  private piece(text: string, from: number, to: number): void {
    this.reserve((to - from) * MAX_BYTES_PER_CHARACTER)
    const target = this.bytes
    let at = this.length
    for (let i = from; i < to; i++) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) {
        let end = i + 1
        while (end < to && text.charCodeAt(end) >= 0x80) end++
        at = encodeUtf8Into(text.slice(i, end), target, at)
        i = end - 1
      } else if (ESCAPES[code] === 0) target[at++] = code
      else at = putEscape(code, target, at)
    }
    this.length = at
  }

  private byte(byte: number): void {
    this.reserve(1)
    this.bytes[this.length++] = byte
  }

  private ascii(text: string): void {
    this.reserve(text.length * 3)
    this.length = encodeUtf8Into(text, this.bytes, this.length)
  }

  private reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.bytes.length) return
    const bytes = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    bytes.set(this.bytes.subarray(0, this.length))
    this.bytes = bytes
  }
}

function putEscape(code: number, target: Uint8Array, at: number): number {
  const letter = ESCAPES[code]
  target[at] = BACKSLASH
  target[at + 1] = letter
  if (letter !== 0x75) return at + 2
  target[at + 2] = ZERO
  target[at + 3] = ZERO
  target[at + 4] = ZERO + (code >> 4)
  const low = code & 15
  target[at + 5] = low < 10 ? ZERO + low : 0x57 + low
  return at + 6
}
