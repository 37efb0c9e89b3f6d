// A pull reader over the bytes of JSON text. It reads 200 MB straight into columns, without a tree of objects.
//
//   reader.beginObject()
//   for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
//     if (key !== 'values') continue          // unread values are skipped, but still checked
//     reader.beginArray()
//     while (reader.nextItem()) { reader.int64(); column.push(reader.lo, reader.hi) }
//   }
import type { IntegerFault } from '../decimal.ts'
import { negate, parseDigits, parseInteger } from '../decimal.ts'
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  KINDS,
  MINUS,
  QUOTE,
  ZERO,
  digitsEnd,
  numberEnd,
  numberValue,
} from './json-scan.ts'
import { UNEXPECTED_END, JsonWalker } from './json-walker.ts'
import { decodeUtf8 } from '../utf8.ts'

export { JsonError } from './json-error.ts'
export type { JsonKind } from './json-scan.ts'
export type { JsonReaderOptions } from './json-walker.ts'

/** Like the result of JSON.parse, except that integers beyond 2^53 are bigints if they fit into int64 or uint64. */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject

/** Has no prototype, so `__proto__` and `constructor` have no special meaning. */
export interface JsonObject {
  [key: string]: JsonValue
}

export class JsonReader extends JsonWalker {
  /** The halves of the last integer read by `int64`. */
  lo = 0
  hi = 0
  /** The range of the last string read by `stringRange`, without its quotes. */
  from = 0
  to = 0
  // Whether the last integer had a minus sign.
  private negative = false

  string(): string {
    const at = this.start()
    if (this.bytes[at] !== QUOTE) this.mismatch('a string')
    const close = this.stringEnd(at)
    this.offset = close + 1
    return this.text(at + 1, close)
  }

  /** Sets `from` and `to`. Returns true if the bytes there are the text, false if they contain escapes. */
  stringRange(): boolean {
    const at = this.start()
    if (this.bytes[at] !== QUOTE) this.mismatch('a string')
    const close = this.stringEnd(at)
    this.offset = close + 1
    this.from = at + 1
    this.to = close
    return !this.escaped
  }

  /** The text as UTF-8: a view of the input, or a copy if there were escapes. */
  stringBytes(): Uint8Array {
    if (this.stringRange()) return this.bytes.subarray(this.from, this.to)
    return this.unescaped(this.from, this.to).slice()
  }

  /** Reads a string and compares it with `text` without creating a string. */
  stringEquals(text: string): boolean {
    const plain = this.stringRange()
    const { bytes, from, to } = this
    if (plain && to - from < text.length) return false
    for (let i = 0; plain && i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) return decodeUtf8(bytes, from, to) === text
      if (bytes[from + i] !== code) return false
    }
    return plain ? to - from === text.length : this.text(from, to) === text
  }

  /** Reads any JSON number. */
  number(): number {
    const { bytes } = this
    const from = this.start()
    // Most numbers are integers of up to 9 digits.
    let i = from
    const limit = Math.min(from + 9, bytes.length)
    let value = 0
    while (i < limit && (bytes[i] ^ ZERO) < 10) value = (value * 10 + (bytes[i++] - ZERO)) | 0
    if (i > from && i < bytes.length && (bytes[i] === COMMA || bytes[i] === CLOSE_ARRAY || bytes[i] === CLOSE_OBJECT)) {
      if (bytes[from] !== ZERO || i === from + 1) {
        this.offset = i
        return value
      }
    }
    const to = this.numberEnd(from)
    this.offset = to
    return numberValue(bytes, from, to)
  }

  /** Reads a JSON number, or, as proto3 allows, a string with a number, NaN, Infinity or -Infinity. */
  double(): number {
    const at = this.start()
    if (this.bytes[at] !== QUOTE) return this.number()
    const text = this.string()
    if (text === 'NaN') return NaN
    if (text === 'Infinity') return Infinity
    if (text === '-Infinity') return -Infinity
    const value = this.escaped ? -1 : numberEnd(this.bytes, at + 1)
    if (value !== this.offset - 1) this.fail('expected a number, found a string', at)
    return Number(text)
  }

  /**
   * Sets `lo` and `hi` from an integer that is a number or a string. 1e3 and 1.0 are integers too. Exact for int64 and uint64:
   * `any` accepts both, and values from 2^63 on have a negative `hi`.
   */
  int64(range: 'any' | 'signed' | 'unsigned' = 'any'): void {
    const at = this.start()
    this.integer(at)
    if (range === 'any') return
    const fits = range === 'signed' ? this.negative || this.hi >= 0 : !this.negative || (this.lo | this.hi) === 0
    if (!fits) this.fail(`integer out of the range of ${range === 'signed' ? 'int64' : 'uint64'}`, at)
  }

  /** Reads an integer like `int64`, within int32. */
  int32(): number {
    const at = this.start()
    this.integer(at)
    // The halves alone do not distinguish 2^64 - 1 from -1.
    const fits = this.negative ? this.hi === this.lo >> 31 : this.hi === 0 && this.lo >= 0
    if (!fits) this.fail('integer out of the range of int32', at)
    return this.lo
  }

  /** Reads an integer like `int64`, within uint32. */
  uint32(): number {
    const at = this.start()
    this.integer(at)
    if (this.hi !== 0) this.fail('integer out of the range of uint32', at)
    return this.lo >>> 0
  }

  boolean(): boolean {
    const at = this.start()
    if (KINDS[this.bytes[at]] !== 'boolean') this.mismatch('a boolean')
    this.offset = this.literalEnd(at)
    return this.bytes[at] === 0x74
  }

  nullValue(): void {
    if (!this.tryNull()) this.mismatch('null')
  }

  /** Reads a null if it comes next. */
  tryNull(): boolean {
    const at = this.start()
    if (this.bytes[at] !== 0x6e) return false
    this.offset = this.literalEnd(at)
    return true
  }

  /** Reads any value as a tree. Only for small values, because it creates an object for each object. */
  value(): JsonValue {
    const open: (JsonValue[] | JsonObject)[] = []
    let key = ''
    for (;;) {
      const value = this.scalarOrBegin()
      const parent = open.at(-1)
      if (Array.isArray(parent)) parent.push(value)
      else if (parent !== undefined) parent[key] = value
      if (typeof value === 'object' && value !== null) open.push(value)
      else if (open.length === 0) return value
      for (;;) {
        const container = open[open.length - 1]
        if (Array.isArray(container)) {
          if (this.nextItem()) break
        } else {
          const next = this.nextKey()
          if (next !== undefined) {
            key = next
            break
          }
        }
        open.pop()
        if (open.length === 0) return container
      }
    }
  }

  // Reads the integer at `at` into `lo`, `hi` and `negative`.
  private integer(at: number): void {
    const { bytes } = this
    const quoted = bytes[at] === QUOTE
    const sign = quoted ? at + 1 : at
    const negative = bytes[sign] === MINUS
    const from = negative ? sign + 1 : sign
    const to = digitsEnd(bytes, from)
    // Plain digits end at the quote of a string, or before any byte that does not continue the number.
    const ends = quoted ? bytes[to] === QUOTE : bytes[to] !== 0x2e && (bytes[to] | 0x20) !== 0x65
    if (to === from || !ends || (bytes[from] === ZERO && to > from + 1)) return this.unusualInteger(at)
    if (!parseDigits(bytes, from, to, this) || (negative && !negate(this))) this.failInteger('range', at)
    this.negative = negative
    this.offset = quoted ? to + 1 : this.atDelimiter(to)
  }

  private unusualInteger(at: number): void {
    const { bytes } = this
    let text = bytes
    if (bytes[at] === QUOTE) {
      text = this.stringBytes()
    } else {
      if (KINDS[bytes[at]] !== 'number') this.mismatch('an integer', at)
      this.offset = this.numberEnd(at)
      text = bytes.subarray(at, this.offset)
    }
    const fault = parseInteger(text, 0, text.length, this)
    if (fault !== 'none') this.failInteger(fault, at)
    this.negative = text[0] === MINUS
  }

  private failInteger(fault: Exclude<IntegerFault, 'none'>, at: number): never {
    switch (fault) {
      case 'syntax':
        return this.fail('expected an integer, found a string', at)
      case 'fraction':
        return this.fail('expected an integer, found a fraction', at)
      case 'range':
        return this.fail('integer out of the range of 64 bits', at)
    }
  }

  private scalarOrBegin(): JsonValue {
    switch (this.peek()) {
      case 'object':
        this.beginObject()
        return Object.create(null) as JsonObject
      case 'array':
        this.beginArray()
        return []
      case 'string':
        return this.string()
      case 'number':
        return this.numberOrBigint()
      case 'boolean':
        return this.boolean()
      case 'null':
        this.nullValue()
        return null // oxlint-disable-line unicorn/no-null -- the value itself
      case 'end':
        return this.fail(UNEXPECTED_END)
    }
  }

  private numberOrBigint(): number | bigint {
    const from = this.start()
    const to = this.numberEnd(from)
    this.offset = to
    const value = numberValue(this.bytes, from, to)
    const whole = this.bytes[from] === MINUS ? from + 1 : from
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER || digitsEnd(this.bytes, whole) !== to) return value
    // Larger integers stay doubles, as in JSON.parse: a bigint with 10 MB of digits takes 2.7 s.
    return parseInteger(this.bytes, from, to, this) === 'none' ? BigInt(decodeUtf8(this.bytes, from, to)) : value
  }
}
