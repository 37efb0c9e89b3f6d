// The navigation of a JsonReader: into objects and arrays, over unread values, and the path of an error. json-reader.ts adds
// the reading of scalars.
import { JsonError, pathStep } from './json-error.ts'
import { KeyCache, MAX_CACHED_KEY_LENGTH } from './json-keys.ts'
import type { JsonKind } from './json-scan.ts'
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  KINDS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  afterSpace,
  escapeEnd,
  literalEnd,
  numberEnd,
  unescape,
} from './json-scan.ts'
import { decodeUtf8, firstInvalidUtf8 } from '../utf8.ts'

export interface JsonReaderOptions {
  /** Prefix of error messages. */
  readonly format?: string | undefined
  readonly offset?: number | undefined
  readonly end?: number | undefined
  /** The default is 128. */
  readonly maxDepth?: number | undefined
}

// Bytes of a string that need handling: the quote, the backslash, control characters and everything beyond ASCII.
const SPECIAL = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte >= 0x80 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
)

// Values of `place`: an object or array without a member so far, and while a key is read.
const FIRST = -1
const BETWEEN = -2

export const UNEXPECTED_END = 'unexpected end of input'

export class JsonWalker {
  readonly bytes: Uint8Array
  offset: number
  private readonly format: string | undefined
  private readonly maxDepth: number
  private readonly keys: KeyCache
  private depth = 0
  // For each open object or array: its kind, and the position of the reader in it (the offset of the key's opening quote, or
  // the index of the item). Paths are built from these only for errors.
  private readonly isArray: Uint8Array
  private readonly place: Float64Array
  // Start of the value that nextKey or nextItem reached last. The value is unread while `offset` is still there.
  private valueAt = -1
  // Whether the last string scanned has escapes.
  protected escaped = false
  private scratch = new Uint8Array(0)

  constructor(bytes: Uint8Array, options: JsonReaderOptions = {}) {
    const { offset = 0, maxDepth = 128 } = options
    const end = Math.min(options.end ?? bytes.length, bytes.length)
    // Always a plain Uint8Array: a second class (Node's Buffer) would slow down every read of a byte.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, end)
    this.format = options.format
    this.maxDepth = maxDepth
    this.keys = new KeyCache(this.bytes)
    this.isArray = new Uint8Array(maxDepth + 1)
    this.place = new Float64Array(maxDepth + 1)
    const hasMark = bytes[offset] === 0xef && bytes[offset + 1] === 0xbb && bytes[offset + 2] === 0xbf
    this.offset = hasMark && offset + 3 <= end ? offset + 3 : offset
  }

  /** The kind of the next value. `end` if nothing follows at the top level. */
  peek(): JsonKind {
    const at = this.start()
    if (at >= this.bytes.length) return this.depth === 0 ? 'end' : this.fail(UNEXPECTED_END, at)
    return KINDS[this.bytes[at]] ?? this.unexpected(at)
  }

  beginObject(): void {
    const at = this.start()
    if (this.bytes[at] !== OPEN_OBJECT) this.mismatch('an object')
    this.open(at, 0)
    this.offset = at + 1
  }

  /** Returns the next key and moves to its value. Returns undefined after the last key and closes the object. */
  nextKey(): string | undefined {
    const at = this.nextMember(CLOSE_OBJECT)
    if (at < 0) return undefined
    const { bytes, depth } = this
    if (bytes[at] !== QUOTE) this.mismatch('a key', at)
    this.place[depth] = BETWEEN
    let key = this.keys.guess(at)
    let close = at + 1 + this.keys.lastLength()
    if (key === undefined) {
      close = this.stringEnd(at)
      const cached = !this.escaped && close - at - 1 <= MAX_CACHED_KEY_LENGTH
      key = cached ? this.keys.find(at + 1, close) : this.text(at + 1, close)
    }
    this.place[depth] = at
    this.valueAt = this.offset = this.afterColon(close + 1)
    return key
  }

  beginArray(): void {
    const at = this.start()
    if (this.bytes[at] !== OPEN_ARRAY) this.mismatch('an array')
    this.open(at, 1)
    this.offset = at + 1
  }

  /** Moves to the next item and returns true. Returns false after the last item and closes the array. */
  nextItem(): boolean {
    const at = this.nextMember(CLOSE_ARRAY)
    if (at < 0) return false
    this.place[this.depth] = this.place[this.depth] + 1
    this.valueAt = this.offset = at
    return true
  }

  /** Skips and checks the rest of the innermost open object or array, and closes it. */
  leave(): void {
    const isArray = this.isArray[this.depth] === 1
    while (isArray ? this.nextItem() : this.nextKey() !== undefined) this.skip()
  }

  /** Skips one value of any kind. Checks it as thoroughly as reading would. */
  skip(): void {
    const { bytes } = this
    const base = this.depth
    let i = this.start()
    for (;;) {
      const byte = bytes[i]
      if (byte === QUOTE) i = this.stringEnd(i) + 1
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        this.open(i, byte === OPEN_ARRAY ? 1 : 0)
        i = afterSpace(bytes, i + 1)
        // A closing bracket is two code points after its opening bracket.
        if (bytes[i] !== byte + 2) {
          i = this.skipToValue(i)
          continue
        }
        this.depth--
        i++
      } else i = KINDS[byte] === 'number' ? this.numberEnd(i) : this.literalEnd(i)
      for (;;) {
        if (this.depth === base) {
          this.offset = i
          return
        }
        i = afterSpace(bytes, i)
        if (bytes[i] === COMMA) {
          i = this.skipToValue(afterSpace(bytes, i + 1))
          break
        }
        const close = this.isArray[this.depth] === 1 ? CLOSE_ARRAY : CLOSE_OBJECT
        if (bytes[i] !== close) this.missingComma(close, i)
        this.depth--
        i++
      }
    }
  }

  fail(what: string, at: number = this.offset): never {
    throw new JsonError(this.bytes, at, what, this.path(), this.format)
  }

  /** The path of the reader, for example `resourceProfiles[0].scopeProfiles[1].profiles`. */
  path(): string {
    let path = ''
    for (let level = 1; level <= this.depth; level++) {
      const place = this.place[level]
      if (place < 0) continue
      if (this.isArray[level] === 1) path += `[${place}]`
      else path += pathStep(this.bytes, place + 1, this.keyEnd(place), path === '')
    }
    return path
  }

  protected start(): number {
    const at = afterSpace(this.bytes, this.offset)
    this.offset = at
    return at
  }

  private open(at: number, isArray: 0 | 1): void {
    if (this.depth >= this.maxDepth) this.fail(`nesting is deeper than ${this.maxDepth}`, at)
    const depth = ++this.depth
    this.isArray[depth] = isArray
    this.place[depth] = FIRST
  }

  // Returns the offset of the next key or item, or -1 if the object or array ends.
  private nextMember(close: number): number {
    if (this.offset === this.valueAt) this.skip()
    const { bytes, depth } = this
    const at = afterSpace(bytes, this.offset)
    if (this.place[depth] !== FIRST) {
      if (bytes[at] === COMMA) return afterSpace(bytes, at + 1)
      if (bytes[at] !== close) this.missingComma(close, at)
    } else if (bytes[at] !== close) return at
    this.depth = depth - 1
    this.offset = at + 1
    return -1
  }

  // Moves from the start of a member to the start of its value.
  private skipToValue(at: number): number {
    const { depth } = this
    if (this.isArray[depth] === 1) {
      this.place[depth] = this.place[depth] + 1
      return at
    }
    if (this.bytes[at] !== QUOTE) this.mismatch('a key', at)
    this.place[depth] = BETWEEN
    const close = this.stringEnd(at)
    this.place[depth] = at
    return this.afterColon(close + 1)
  }

  private afterColon(from: number): number {
    const at = afterSpace(this.bytes, from)
    if (this.bytes[at] !== COLON) this.mismatch(`':'`, at)
    return afterSpace(this.bytes, at + 1)
  }

  // Returns the offset of the closing quote. Sets `escaped`.
  protected stringEnd(open: number): number {
    const { bytes } = this
    let i = open + 1
    while (i < bytes.length && SPECIAL[bytes[i]] === 0) i++
    if (i < bytes.length && bytes[i] === QUOTE) {
      this.escaped = false
      return i
    }
    return this.unusualStringEnd(open, i)
  }

  private unusualStringEnd(open: number, from: number): number {
    const { bytes } = this
    let escaped = false
    let beyondAscii = false
    for (let i = from; i < bytes.length;) {
      const byte = bytes[i]
      if (SPECIAL[byte] === 0) i++
      else if (byte >= 0x80) {
        beyondAscii = true
        i++
      } else if (byte === BACKSLASH) {
        escaped = true
        const end = escapeEnd(bytes, i)
        if (end < 0) this.unexpected(-1 - end, 'invalid escape')
        i = end
      } else if (byte === QUOTE) {
        const invalid = beyondAscii ? firstInvalidUtf8(bytes, open + 1, i) : -1
        if (invalid >= 0) this.fail('invalid UTF-8', invalid)
        this.escaped = escaped
        return i
      } else this.fail('control character in a string', i)
    }
    return this.fail(UNEXPECTED_END, bytes.length)
  }

  // Returns the text of the string content that was scanned last.
  protected text(from: number, to: number): string {
    if (!this.escaped) return decodeUtf8(this.bytes, from, to)
    const text = this.unescaped(from, to)
    return decodeUtf8(text)
  }

  protected unescaped(from: number, to: number): Uint8Array {
    if (this.scratch.length < to - from) this.scratch = new Uint8Array(Math.max(256, to - from))
    return this.scratch.subarray(0, unescape(this.bytes, from, to, this.scratch))
  }

  protected numberEnd(from: number): number {
    const end = numberEnd(this.bytes, from)
    if (end >= 0) return this.atDelimiter(end)
    return -1 - end === from ? this.mismatch('a number', from) : this.unexpected(-1 - end)
  }

  protected literalEnd(from: number): number {
    const end = literalEnd(this.bytes, from)
    return end < 0 ? this.unexpected(-1 - end) : this.atDelimiter(end)
  }

  // Rejects `12true` at the top level, where no comma or bracket is required after a value.
  protected atDelimiter(at: number): number {
    if (this.depth === 0 && at < this.bytes.length && afterSpace(this.bytes, at) === at) this.unexpected(at)
    return at
  }

  private keyEnd(open: number): number {
    let i = open + 1
    while (this.bytes[i] !== QUOTE) i += this.bytes[i] === BACKSLASH ? 2 : 1
    return i
  }

  private missingComma(close: number, at: number): never {
    return this.mismatch(`',' or '${String.fromCharCode(close)}'`, at)
  }

  protected mismatch(expected: string, at: number = this.offset): never {
    if (at >= this.bytes.length) return this.fail(UNEXPECTED_END, at)
    return this.fail(`expected ${expected}, found ${this.describe(at)}`, at)
  }

  private unexpected(at: number, what?: string): never {
    if (at >= this.bytes.length) return this.fail(UNEXPECTED_END, this.bytes.length)
    return this.fail(what ?? `unexpected ${this.character(at)}`, at)
  }

  private describe(at: number): string {
    const kind = KINDS[this.bytes[at]]
    if (kind === undefined) return this.character(at)
    if (kind === 'null') return kind
    return kind === 'object' || kind === 'array' ? `an ${kind}` : `a ${kind}`
  }

  private character(at: number): string {
    const byte = this.bytes[at]
    const printable = byte > 0x20 && byte < 0x7f
    return printable ? `'${String.fromCharCode(byte)}'` : `byte 0x${byte.toString(16).padStart(2, '0')}`
  }
}
