// Parses expressions in RE2's syntax: what Go's regexp package accepts, which has neither backreferences nor lookarounds.
export type CharacterTest = (character: number) => boolean

export type PatternNode =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  /** `before` and `after` are the neighbouring characters, or -1 at the ends of the name. */
  | { readonly kind: 'assert'; readonly holds: (before: number, after: number) => boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number }

interface Flags {
  readonly i: boolean
  readonly s: boolean
  readonly m: boolean
}

/** The limits of RE2. */
const MAX_REPEAT = 1000
const MAX_DEPTH = 200
const NEWLINE = 10

const CLASSES: Readonly<Record<string, string>> = {
  d: '0-9',
  s: '\t\n\f\r ',
  w: '0-9A-Za-z_',
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\0-\x7f',
  blank: '\t ',
  cntrl: '\0-\x1f\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-/:-@[-`{-~',
  space: '\t\n\v\f\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
}

const ESCAPED_CHARACTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  f: '\f',
  t: '\t',
  n: '\n',
  r: '\r',
  v: '\v',
}

/** An expression that is invalid, too large, or takes too many steps. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** Throws PatternError. */
export function parsePattern(source: string): PatternNode {
  return new PatternParser(source).parse()
}

const isWordCharacter = rangesTest(CLASSES['w'])

class PatternParser {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0
  #flags: Flags = { i: false, s: false, m: false }

  constructor(source: string) {
    this.#characters = Array.from(source)
  }

  parse(): PatternNode {
    const node = this.#choice()
    if (this.#at < this.#characters.length) throw new PatternError(`unexpected ${this.#characters[this.#at]}`)
    return node
  }

  #choice(): PatternNode {
    if (++this.#depth > MAX_DEPTH) throw new PatternError('groups are nested too deeply')
    const parts = [this.#sequence()]
    while (this.#take('|')) parts.push(this.#sequence())
    this.#depth--
    return parts.length === 1 ? parts[0] : { kind: 'choice', parts }
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      parts.push(this.#repeated(this.#atom()))
    }
    return { kind: 'sequence', parts }
  }

  #repeated(part: PatternNode): PatternNode {
    const range = this.#range()
    if (range === undefined) return part
    // Lazy repetitions match the same names.
    this.#take('?')
    if (this.#range() !== undefined) throw new PatternError('a repetition follows another')
    return { kind: 'repeat', part, min: range[0], max: range[1] }
  }

  #range(): readonly [min: number, max: number] | undefined {
    if (this.#take('*')) return [0, Infinity]
    if (this.#take('+')) return [1, Infinity]
    if (this.#take('?')) return [0, 1]
    const found = /^\{(\d+)(,?)(\d*)\}/.exec(this.#characters.slice(this.#at, this.#at + 16).join(''))
    if (found === null) return undefined
    this.#at += found[0].length
    const min = Number(found[1])
    const max = found[2] === '' ? min : found[3] === '' ? Infinity : Number(found[3])
    if (min > MAX_REPEAT || (max > MAX_REPEAT && max !== Infinity) || max < min) {
      throw new PatternError(`invalid repetition ${found[0]}`)
    }
    return [min, max]
  }

  #atom(): PatternNode {
    const character = this.#next()
    const { s, m } = this.#flags
    switch (character) {
      case '.':
        return this.#character(code => s || code !== NEWLINE)
      case '^':
        return { kind: 'assert', holds: before => before < 0 || (m && before === NEWLINE) }
      case '$':
        return { kind: 'assert', holds: (_, after) => after < 0 || (m && after === NEWLINE) }
      case '(':
        return this.#group()
      case '[':
        return { kind: 'character', test: this.#class() }
      case '\\':
        return this.#escape()
      case '*':
      case '+':
      case '?':
        throw new PatternError(`${character} repeats nothing`)
      default:
        return this.#character(codeTest(character))
    }
  }

  #group(): PatternNode {
    const outer = this.#flags
    if (this.#take('?')) {
      const rest = this.#characters.slice(this.#at, this.#at + 80).join('')
      const found = /^(?:P?<\w+>|([imsU]*)(?:-([imsU]+))?([:)]))/.exec(rest)
      if (found === null) throw new PatternError('unknown kind of group')
      this.#at += found[0].length
      const on = found[1] ?? ''
      const off = found[2] ?? ''
      const flag = (name: 'i' | 's' | 'm'): boolean => (outer[name] || on.includes(name)) && !off.includes(name)
      this.#flags = { i: flag('i'), s: flag('s'), m: flag('m') }
      // Without a group of its own, the flags apply to the rest of the group around.
      if (found[3] === ')') return { kind: 'sequence', parts: [] }
    }
    const node = this.#choice()
    if (!this.#take(')')) throw new PatternError('missing )')
    this.#flags = outer
    return node
  }

  #escape(): PatternNode {
    const kind = this.#peek() ?? ''
    if (kind === 'A' || kind === 'z' || kind === 'b' || kind === 'B') {
      this.#at++
      if (kind === 'A') return { kind: 'assert', holds: before => before < 0 }
      if (kind === 'z') return { kind: 'assert', holds: (_, after) => after < 0 }
      const isBoundary = (before: number, after: number): boolean => isWordCharacter(before) !== isWordCharacter(after)
      return { kind: 'assert', holds: kind === 'b' ? isBoundary : (before, after) => !isBoundary(before, after) }
    }
    return this.#character(this.#escapedClass() ?? codeTest(this.#escapedCharacter()))
  }

  /** `\d`, `\pL` and the like, after the backslash. */
  #escapedClass(): CharacterTest | undefined {
    const kind = this.#peek() ?? ''
    const ranges = CLASSES[kind.toLowerCase()]
    if (ranges !== undefined) {
      this.#at++
      return negatedIf(kind !== kind.toLowerCase(), rangesTest(ranges))
    }
    if (kind !== 'p' && kind !== 'P') return undefined
    this.#at++
    const found = /^(?:\{(\^?)(\w+)\}|([A-Z]))/.exec(this.#characters.slice(this.#at, this.#at + 40).join(''))
    if (found === null) throw new PatternError('invalid Unicode class')
    this.#at += found[0].length
    return negatedIf((kind === 'P') !== (found[1] === '^'), unicodeTest(found[2] ?? found[3]))
  }

  /** The character of an escape, after the backslash. */
  #escapedCharacter(): string {
    const found = /^(?:x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|([0-7]{3}))/.exec(
      this.#characters.slice(this.#at, this.#at + 12).join(''),
    )
    if (found !== null) {
      this.#at += found[0].length
      const code = parseInt(found[1] ?? found[2] ?? found[3], found[3] === undefined ? 16 : 8)
      if (code > 0x10ffff) throw new PatternError('invalid character number')
      return String.fromCodePoint(code)
    }
    const character = this.#next()
    const named = ESCAPED_CHARACTERS[character]
    if (named === undefined && /[0-9A-Za-z]/.test(character)) throw new PatternError(`unknown escape \\${character}`)
    return named ?? character
  }

  #class(): CharacterTest {
    const isNegated = this.#take('^')
    const tests: CharacterTest[] = []
    do tests.push(this.#classItem())
    while (!this.#take(']'))
    const folded = this.#flags.i ? tests.map(foldedTest) : tests
    return negatedIf(isNegated, code => folded.some(test => test(code)))
  }

  #classItem(): CharacterTest {
    const posix = /^\[:(\^?)(\w+):\]/.exec(this.#characters.slice(this.#at, this.#at + 12).join(''))
    if (posix !== null) {
      const ranges = POSIX_CLASSES[posix[2]]
      if (ranges === undefined) throw new PatternError(`unknown class ${posix[0]}`)
      this.#at += posix[0].length
      return negatedIf(posix[1] === '^', rangesTest(ranges))
    }
    if (this.#peek() === '\\') {
      this.#at++
      const named = this.#escapedClass()
      if (named !== undefined) return named
      this.#at--
    }
    const first = this.#classCharacter()
    if (this.#peek() !== '-' || this.#characters[this.#at + 1] === ']') return codeTest(first)
    this.#at++
    const last = this.#classCharacter()
    if (last.codePointAt(0)! < first.codePointAt(0)!) throw new PatternError(`invalid range ${first}-${last}`)
    return code => code >= first.codePointAt(0)! && code <= last.codePointAt(0)!
  }

  #classCharacter(): string {
    const character = this.#next()
    return character === '\\' ? this.#escapedCharacter() : character
  }

  #character(test: CharacterTest): PatternNode {
    return { kind: 'character', test: this.#flags.i ? foldedTest(test) : test }
  }

  #peek(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(character: string): boolean {
    const isNext = this.#peek() === character
    if (isNext) this.#at++
    return isNext
  }

  #next(): string {
    const character = this.#peek()
    if (character === undefined) throw new PatternError('the expression ends too early')
    this.#at++
    return character
  }
}

function codeTest(character: string): CharacterTest {
  const wanted = character.codePointAt(0)
  return code => code === wanted
}

/** Ranges as in a class: `0-9A-Z_`. */
function rangesTest(ranges: string): CharacterTest {
  const set = new RegExp(`^[${ranges.replace(/[[\]\\^]/g, String.raw`\$&`)}]$`, 'u')
  return code => code >= 0 && set.test(String.fromCodePoint(code))
}

function unicodeTest(name: string): CharacterTest {
  for (const property of [name, `Script=${name}`]) {
    try {
      const set = new RegExp(String.raw`^\p{${property}}$`, 'u')
      return code => set.test(String.fromCodePoint(code))
    } catch {
      // The name of a script.
    }
  }
  throw new PatternError(`unknown Unicode class ${name}`)
}

function foldedTest(test: CharacterTest): CharacterTest {
  return code => {
    const character = String.fromCodePoint(code)
    return [code, character.toLowerCase().codePointAt(0)!, character.toUpperCase().codePointAt(0)!].some(test)
  }
}

function negatedIf(isNegated: boolean, test: CharacterTest): CharacterTest {
  return isNegated ? code => !test(code) : test
}
