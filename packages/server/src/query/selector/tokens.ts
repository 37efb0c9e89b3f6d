// The tokens of a selector, one at a time. There are no regular expressions and no recursion: one pass over the text.
import { QuerySyntaxError } from '../query-error.ts'

export type Token =
  /** A name or number without quotes: letters, digits, `_ . - / % +`. */
  | { readonly kind: 'word'; readonly text: string; readonly from: number; readonly to: number }
  | { readonly kind: 'text'; readonly text: string; readonly from: number; readonly to: number }
  | { readonly kind: 'mark'; readonly text: string; readonly from: number; readonly to: number }
  | { readonly kind: 'end'; readonly text: ''; readonly from: number; readonly to: number }

const MARKS = ['!=', '!~', '=~', '<=', '>=', '=', '<', '>', '!', '{', '}', ',', '|', ':']

/** The characters of a word. Plus and minus are for numbers, `/` and `%` for units. */
function isWordCharacter(code: number): boolean {
  return (
    isLetter(code) || isDigit(code) || code === 0x2e || (code >= 0x2d && code <= 0x2f) || code === 0x2b || code === 0x25
  )
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

export class Tokens {
  readonly #text: string
  #at = 0
  #next: Token | undefined

  constructor(text: string) {
    this.#text = text
  }

  peek(): Token {
    return (this.#next ??= this.#read())
  }

  take(): Token {
    const token = this.peek()
    this.#next = undefined
    return token
  }

  fail(message: string, position: number): never {
    throw new QuerySyntaxError(message, this.#text, position)
  }

  #read(): Token {
    const text = this.#text
    while (this.#at < text.length && isSpace(text.charCodeAt(this.#at))) this.#at++
    const from = this.#at
    if (from === text.length) return { kind: 'end', text: '', from, to: from }
    const code = text.charCodeAt(from)
    if (isWordCharacter(code)) {
      while (this.#at < text.length && isWordCharacter(text.charCodeAt(this.#at))) this.#at++
      return { kind: 'word', text: text.slice(from, this.#at), from, to: this.#at }
    }
    const quote = text[from]
    if (quote === '"' || quote === "'" || quote === '`') {
      const value = quote === '`' ? this.#raw() : this.#quoted(quote)
      return { kind: 'text', text: value, from, to: this.#at }
    }
    const mark = MARKS.find(each => text.startsWith(each, from))
    if (mark === undefined) this.fail(`${describe(text, from)} is not valid here`, from)
    this.#at += mark.length
    return { kind: 'mark', text: mark, from, to: this.#at }
  }

  /** Nothing is escaped between backticks. */
  #raw(): string {
    const from = this.#at
    const end = this.#text.indexOf('`', from + 1)
    if (end < 0) this.fail('a text without its closing `', from)
    this.#at = end + 1
    return this.#wellFormed(this.#text.slice(from + 1, end), from)
  }

  #quoted(quote: string): string {
    const text = this.#text
    const from = this.#at++
    let value = ''
    for (;;) {
      if (this.#at >= text.length || text[this.#at] === '\n') this.fail(`a text without its closing ${quote}`, from)
      const character = text[this.#at]
      if (character === quote) break
      if (character === '\\') value += this.#escape()
      else {
        value += character
        this.#at++
      }
    }
    this.#at++
    return this.#wellFormed(value, from)
  }

  /**
   * The escapes of PromQL and Go: \n and the like, \" \' \\, \x with two hex digits, three octal digits, \u with four,
   * \U with eight.
   */
  #escape(): string {
    const at = this.#at
    const letter = this.#text[at + 1]
    const plain = letter === undefined ? undefined : ESCAPES.get(letter)
    if (plain !== undefined) {
      this.#at += 2
      return plain
    }
    if (letter === 'x') return this.#code(at, at + 2, 2, 16)
    if (letter === 'u') return this.#code(at, at + 2, 4, 16)
    if (letter === 'U') return this.#code(at, at + 2, 8, 16)
    if (letter !== undefined && isDigit(letter.charCodeAt(0))) return this.#code(at, at + 1, 3, 8)
    return this.fail('an unknown escape', at)
  }

  #code(at: number, from: number, length: number, radix: 8 | 16): string {
    const digits = this.#text.slice(from, from + length)
    let code = 0
    for (const digit of digits) {
      const value = Number.parseInt(digit, radix)
      if (Number.isNaN(value)) this.fail(`an escape that requires ${length} digits`, at)
      code = code * radix + value
    }
    if (digits.length < length) this.fail(`an escape that requires ${length} digits`, at)
    // In Go these two are bytes. From 128 on, a byte is not a character.
    if (length < 4 && code > 0x7f) this.fail('an escape of a byte that is not a character; use \\u', at)
    if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) this.fail('an escape that is not a character', at)
    this.#at = from + length
    return String.fromCodePoint(code)
  }

  #wellFormed(value: string, from: number): string {
    if (hasLoneSurrogate(value)) this.fail('a text that is not well-formed Unicode', from)
    return value
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
])

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

function hasLoneSurrogate(text: string): boolean {
  for (const character of text) {
    const code = character.charCodeAt(0)
    if (character.length === 1 && code >= 0xd800 && code <= 0xdfff) return true
  }
  return false
}

function describe(text: string, at: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))
}
