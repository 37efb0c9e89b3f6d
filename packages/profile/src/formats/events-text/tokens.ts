// The tokens of protobuf's text format: names, numbers, strings, punctuation. Also accepts underscores in numbers, which the
// document's examples use and protobuf does not allow.
import { GrowingBytes } from '../../model/columns/growing-columns.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'

export type TokenKind = 'name' | 'number' | 'string' | 'end' | '{' | '}' | '<' | '>' | '[' | ']' | ':' | ',' | ';' | '-'

const PUNCTUATION = '{}<>[]:,;-'

export class Tokens {
  kind: TokenKind = 'end'
  /** The range of the token. */
  from = 0
  to = 0
  /** The content of a string. */
  readonly content = new GrowingBytes(64)
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    // A byte order mark has no meaning in UTF-8.
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.to = 3
  }

  /** The text of a name or number, which is ASCII. */
  text(): string {
    let text = ''
    for (let i = this.from; i < this.to; i++) text += String.fromCharCode(this.#bytes[i])
    return text
  }

  next(): TokenKind {
    const bytes = this.#bytes
    let p = this.to
    for (; p < bytes.length; p++) {
      const byte = bytes[p]
      if (byte === 0x23) {
        const line = bytes.indexOf(0x0a, p)
        p = line < 0 ? bytes.length - 1 : line
      } else if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) break
    }
    this.from = p
    this.to = p
    if (p >= bytes.length) return (this.kind = 'end')
    const byte = bytes[p]
    if (isLetter(byte)) return this.#run('name', isWord)
    if (isDigit(byte) || (byte === 0x2e && isDigit(bytes[p + 1]))) return this.#number()
    if (byte === 0x22 || byte === 0x27) return this.#string(byte)
    const sign = String.fromCharCode(byte)
    if (!PUNCTUATION.includes(sign)) throw new WireError(p, `unexpected ${describe(byte)}`)
    this.to = p + 1
    return (this.kind = sign as TokenKind)
  }

  #run(kind: TokenKind, belongs: (byte: number) => boolean): TokenKind {
    while (this.to < this.#bytes.length && belongs(this.#bytes[this.to])) this.to++
    return (this.kind = kind)
  }

  /** Reads a number with all adjacent characters. The field checks it. A sign is part of it only after an exponent. */
  #number(): TokenKind {
    const bytes = this.#bytes
    const isHex = bytes[this.from] === 0x30 && (bytes[this.from + 1] | 0x20) === 0x78
    for (; this.to < bytes.length; this.to++) {
      const byte = bytes[this.to]
      const before = bytes[this.to - 1] | 0x20
      const isSign = (byte === 0x2b || byte === 0x2d) && before === 0x65 && !isHex && this.to > this.from
      if (!isWord(byte) && byte !== 0x2e && !isSign) break
    }
    return (this.kind = 'number')
  }

  #string(quote: number): TokenKind {
    const bytes = this.#bytes
    this.content.length = 0
    let p = this.from + 1
    for (;;) {
      if (p >= bytes.length || bytes[p] === 0x0a) throw new WireError(this.from, 'string does not end on its line')
      if (bytes[p] === quote) break
      if (bytes[p] === 0x5c) p = this.#escape(p)
      else {
        this.content.append(bytes, p, p + 1)
        p++
      }
    }
    this.to = p + 1
    return (this.kind = 'string')
  }

  /** Returns the end of the escape. */
  #escape(at: number): number {
    const bytes = this.#bytes
    const letter = String.fromCharCode(bytes[at + 1])
    const simple = 'abfnrtv\\\'"?'.indexOf(letter)
    if (at + 1 < bytes.length && simple >= 0) {
      this.#push([7, 8, 12, 10, 13, 9, 11, 92, 39, 34, 63][simple])
      return at + 2
    }
    if (letter >= '0' && letter <= '7') {
      const digits = this.#digits(at + 1, 3, byte => byte >= 0x30 && byte <= 0x37)
      this.#push(this.#value(at + 1, digits, 8, at, 255))
      return at + 1 + digits
    }
    const lengths: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 }
    const max = lengths[letter]
    const digits = max === undefined ? 0 : this.#digits(at + 2, max, isHexDigit)
    if (digits === 0 || (max > 2 && digits < max)) throw new WireError(at, 'unknown escape in a string')
    const value = this.#value(at + 2, digits, 16, at, max === 2 ? 255 : 0x10_ffff)
    if (max === 2) this.#push(value)
    else if (value >= 0xd800 && value < 0xe000) throw new WireError(at, 'half of a surrogate pair in a string')
    else {
      const encoded = encodeUtf8(String.fromCodePoint(value))
      this.content.append(encoded, 0, encoded.length)
    }
    return at + 2 + digits
  }

  #digits(from: number, max: number, belongs: (byte: number) => boolean): number {
    let count = 0
    while (count < max && from + count < this.#bytes.length && belongs(this.#bytes[from + count])) count++
    return count
  }

  #value(from: number, digits: number, base: number, at: number, max: number): number {
    const value = parseInt(String.fromCharCode(...this.#bytes.subarray(from, from + digits)), base)
    if (value > max) throw new WireError(at, `escape of ${value} in a string is larger than ${max}`)
    return value
  }

  #push(byte: number): void {
    this.content.append(Uint8Array.of(byte), 0, 1)
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
}

function isLetter(byte: number): boolean {
  return byte === 0x5f || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a)
}

function isWord(byte: number): boolean {
  return isLetter(byte) || isDigit(byte)
}

function describe(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`
}
