// Demangles Rust's v0 names (RFC 2603) and prints while it parses: a back reference parses an earlier part again. Crate
// hashes, the crate that instantiated a generic and the types of integer constants are omitted.
import { MangledCursor, MangledError } from './mangled-cursor.ts'
import { decodePunycode } from './punycode.ts'

/** Each level is two or three calls deep. */
const MAX_DEPTH = 300
const MAX_OUTPUT = 1 << 16

const BASIC: Readonly<Record<string, string>> = {
  a: 'i8',
  b: 'bool',
  c: 'char',
  d: 'f64',
  e: 'str',
  f: 'f32',
  h: 'u8',
  i: 'isize',
  j: 'usize',
  l: 'i32',
  m: 'u32',
  n: 'i128',
  o: 'u128',
  p: '_',
  s: 'i16',
  t: 'u16',
  u: '()',
  v: '...',
  x: 'i64',
  y: 'u64',
  z: '!',
}

/** Returns undefined if it is not a v0 name. `name` starts after `_R`. The caller handles the suffix. */
export function demangleRustV0(name: string): { readonly text: string; readonly end: number } | undefined {
  // A digit is the version of a future encoding.
  if (!/^[A-Z]/.test(name)) return undefined
  const printer = new RustV0(name)
  try {
    return { text: printer.symbol(), end: printer.at }
  } catch (error) {
    if (error instanceof MangledError) return undefined
    throw error
  }
}

class RustV0 extends MangledCursor {
  #output = ''
  #isSilent = false
  /** The number of lifetimes that enclosing binders bind. */
  #lifetimes = 0

  constructor(name: string) {
    super(name, 0, MAX_DEPTH)
  }

  symbol(): string {
    this.#path(true)
    // Skips the crate in which a generic was instantiated.
    if (/[A-Z]/.test(this.peek())) this.#silently(() => this.#path(false))
    return this.#output
  }

  #print(text: string): void {
    if (this.#isSilent) return
    this.#output += text
    if (this.#output.length > MAX_OUTPUT) this.fail()
  }

  #silently(parse: () => void): void {
    const outer = this.#isSilent
    this.#isSilent = true
    parse()
    this.#isSilent = outer
  }

  /** In values, generic arguments are written `::<>`. */
  #path(inValue: boolean): void {
    this.nested(() => {
      const tag = this.next()
      switch (tag) {
        case 'C':
          this.#disambiguator()
          return this.#print(this.#identifier())
        case 'N':
          return this.#nestedPath(inValue)
        case 'M':
        case 'X':
          this.#disambiguator()
          this.#silently(() => this.#path(false))
          return this.#qualifiedSelf(tag === 'X')
        case 'Y':
          return this.#qualifiedSelf(true)
        case 'I':
          this.#path(inValue)
          this.#print(inValue ? '::<' : '<')
          this.#separated(', ', () => this.#genericArg())
          return this.#print('>')
        case 'B':
          return this.#backReference(() => this.#path(inValue))
        default:
          return this.fail()
      }
    })
  }

  #nestedPath(inValue: boolean): void {
    const space = this.next()
    if (!/[A-Za-z]/.test(space)) this.fail()
    this.#path(inValue)
    const number = this.#disambiguator()
    const name = this.#identifier()
    if (space >= 'a') return this.#print(name === '' ? '' : `::${name}`)
    const kind = space === 'C' ? 'closure' : space === 'S' ? 'shim' : space
    this.#print(`::{${kind}${name === '' ? '' : `:${name}`}#${number}}`)
  }

  #qualifiedSelf(hasTrait: boolean): void {
    this.#print('<')
    this.#type()
    if (hasTrait) {
      this.#print(' as ')
      this.#path(false)
    }
    this.#print('>')
  }

  #genericArg(): void {
    if (this.accept('L')) this.#lifetime(this.#base62())
    else if (this.accept('K')) this.#const(false)
    else this.#type()
  }

  #type(): void {
    this.nested(() => {
      const tag = this.next()
      const basic = BASIC[tag]
      if (basic !== undefined) return this.#print(basic)
      switch (tag) {
        case 'R':
        case 'Q':
          this.#print('&')
          if (this.accept('L')) {
            const lifetime = this.#base62()
            if (lifetime !== 0) {
              this.#lifetime(lifetime)
              this.#print(' ')
            }
          }
          if (tag === 'Q') this.#print('mut ')
          return this.#type()
        case 'P':
        case 'O':
          this.#print(tag === 'P' ? '*const ' : '*mut ')
          return this.#type()
        case 'A':
        case 'S':
          this.#print('[')
          this.#type()
          if (tag === 'A') {
            this.#print('; ')
            this.#const(true)
          }
          return this.#print(']')
        case 'T':
          this.#print('(')
          if (this.#separated(', ', () => this.#type()) === 1) this.#print(',')
          return this.#print(')')
        case 'F':
          return this.#binder(() => this.#functionType())
        case 'D':
          return this.#dynType()
        case 'B':
          return this.#backReference(() => this.#type())
        default:
          this.at--
          return this.#path(false)
      }
    })
  }

  #functionType(): void {
    if (this.accept('U')) this.#print('unsafe ')
    if (this.accept('K')) {
      const abi = this.accept('C') ? 'C' : this.#identifier().replaceAll('_', '-')
      this.#print(`extern "${abi}" `)
    }
    this.#print('fn(')
    this.#separated(', ', () => this.#type())
    this.#print(')')
    if (this.accept('u')) return
    this.#print(' -> ')
    this.#type()
  }

  #dynType(): void {
    this.#print('dyn ')
    this.#binder(() => this.#separated(' + ', () => this.#dynTrait()))
    this.expect('L')
    const lifetime = this.#base62()
    if (lifetime === 0) return
    this.#print(' + ')
    this.#lifetime(lifetime)
  }

  #dynTrait(): void {
    let isOpen = this.#openPath()
    while (this.accept('p')) {
      this.#print(isOpen ? ', ' : '<')
      isOpen = true
      this.#print(`${this.#identifier()} = `)
      this.#type()
    }
    if (isOpen) this.#print('>')
  }

  /** Prints a path and leaves its list of arguments open, if it has one. */
  #openPath(): boolean {
    return this.nested(() => {
      if (this.accept('B')) {
        let isOpen = false
        this.#backReference(() => {
          isOpen = this.#openPath()
        })
        return isOpen
      }
      if (!this.accept('I')) {
        this.#path(false)
        return false
      }
      this.#path(false)
      this.#print('<')
      this.#separated(', ', () => this.#genericArg())
      return true
    })
  }

  #binder(parse: () => void): void {
    const count = this.accept('G') ? this.#base62() + 1 : 0
    // The name is too short for that many binders.
    if (count > this.text.length) this.fail()
    if (this.#isSilent) this.#lifetimes += count
    else if (count > 0) {
      this.#print('for<')
      for (let i = 0; i < count; i++) {
        this.#lifetimes++
        if (i > 0) this.#print(', ')
        this.#lifetime(1)
      }
      this.#print('> ')
    }
    parse()
    this.#lifetimes -= count
  }

  /** 0 is erased; others count outwards from the innermost binder. */
  #lifetime(index: number): void {
    if (index === 0) return this.#print("'_")
    const depth = this.#lifetimes - index
    if (depth < 0) this.fail()
    this.#print(depth < 26 ? `'${String.fromCharCode(0x61 + depth)}` : `'_${depth}`)
  }

  /** Constants that are not plain literals are in braces in lists of arguments. */
  #const(isInExpression: boolean): void {
    this.nested(() => {
      const tag = this.next()
      switch (tag) {
        case 'p':
          return this.#print('_')
        case 'B':
          return this.#backReference(() => this.#const(isInExpression))
        case 'b': {
          const digits = this.#hexDigits()
          if (digits !== '0' && digits !== '1') this.fail()
          return this.#print(digits === '1' ? 'true' : 'false')
        }
        case 'c':
          return this.#char()
        case 'a':
        case 's':
        case 'l':
        case 'x':
        case 'n':
        case 'i':
          if (this.accept('n')) this.#print('-')
          return this.#integer()
        case 'h':
        case 't':
        case 'm':
        case 'y':
        case 'o':
        case 'j':
          return this.#integer()
      }
      if (tag === 'R' && this.accept('e')) return this.#string()
      if (!isInExpression) this.#print('{')
      this.#structuredConst(tag)
      if (!isInExpression) this.#print('}')
    })
  }

  #structuredConst(tag: string): void {
    switch (tag) {
      case 'e':
        this.#print('*')
        return this.#string()
      case 'R':
      case 'Q':
        this.#print(tag === 'R' ? '&' : '&mut ')
        return this.#const(true)
      case 'A':
        this.#print('[')
        this.#separated(', ', () => this.#const(true))
        return this.#print(']')
      case 'T':
        this.#print('(')
        if (this.#separated(', ', () => this.#const(true)) === 1) this.#print(',')
        return this.#print(')')
      case 'V':
        this.#path(true)
        if (this.accept('U')) return
        if (this.accept('T')) {
          this.#print('(')
          this.#separated(', ', () => this.#const(true))
          return this.#print(')')
        }
        this.expect('S')
        this.#print(' { ')
        this.#separated(', ', () => {
          this.#disambiguator()
          this.#print(`${this.#identifier()}: `)
          this.#const(true)
        })
        return this.#print(' }')
      default:
        this.fail()
    }
  }

  #integer(): void {
    const digits = this.#hexDigits()
    // Numbers beyond 64 bits are printed in hex.
    this.#print(digits.length > 16 ? `0x${digits}` : `${BigInt(`0x${digits}`)}`)
  }

  #char(): void {
    const code = Number.parseInt(this.#hexDigits(), 16)
    if (!(code <= 0x10_ffff) || (code >= 0xd800 && code < 0xe000)) this.fail()
    this.#print(`'${escaped(String.fromCodePoint(code), "'")}'`)
  }

  #string(): void {
    const from = this.at
    while (/[0-9a-f]/.test(this.peek())) this.at++
    const hex = this.text.slice(from, this.at)
    this.expect('_')
    if (hex.length % 2 !== 0) this.fail()
    const encoded = hex.replace(/../g, byte => `%${byte}`)
    let text: string
    try {
      text = decodeURIComponent(encoded)
    } catch {
      return this.fail()
    }
    this.#print(`"${escaped(text, '"')}"`)
  }

  /** Removes leading zeros. An empty text becomes `0`. */
  #hexDigits(): string {
    const from = this.at
    while (/[0-9a-f]/.test(this.peek())) this.at++
    const digits = this.text.slice(from, this.at)
    this.expect('_')
    return digits.replace(/^0+/, '') || '0'
  }

  /** Repeats up to the closing `E` and returns the number of repetitions. */
  #separated(separator: string, parse: () => void): number {
    let count = 0
    for (; !this.accept('E'); count++) {
      if (count > 0) this.#print(separator)
      parse()
    }
    return count
  }

  #backReference(parse: () => void): void {
    const from = this.at - 1
    const target = this.#base62()
    if (target >= from) this.fail()
    // A part that is not printed was parsed once already.
    if (this.#isSilent) return
    const { at } = this
    this.at = target
    parse()
    this.at = at
  }

  #disambiguator(): number {
    return this.accept('s') ? this.#base62() + 1 : 0
  }

  #base62(): number {
    if (this.accept('_')) return 0
    let value = 0
    while (!this.accept('_')) {
      const char = this.next()
      const digit = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.indexOf(char)
      if (digit < 0) this.fail()
      value = value * 62 + digit
      // Crate hashes take all 64 bits and are not printed. All other numbers are far smaller.
      if (value > 2 ** 65) this.fail()
    }
    return value + 1
  }

  #identifier(): string {
    const isPunycode = this.accept('u')
    // Numbers have no leading zeros, so a digit after a zero belongs to the next part.
    const length = this.accept('0') ? 0 : this.number()
    this.accept('_')
    const name = this.take(length)
    return isPunycode ? (decodePunycode(name) ?? this.fail()) : name
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r', '\n': '\\n', '\\': '\\\\', '\0': '\\0' }

/** Escapes a character like Rust's Debug. */
function escaped(text: string, quote: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f\\'"]/g, char => {
    if (char === "'" || char === '"') return char === quote ? `\\${char}` : char
    return ESCAPES[char] ?? `\\u{${char.charCodeAt(0).toString(16)}}`
  })
}
