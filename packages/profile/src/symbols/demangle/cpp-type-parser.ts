// Parses types in mangled C++ names, and keeps the two tables that names refer back to: earlier parts (`S_`, `S0_`…) and the
// arguments of the template (`T_`, `T0_`…).
import type { CppNode, FunctionNode } from './cpp-node.ts'
import { concatNode, textNode } from './cpp-node.ts'
import { MangledCursor } from './mangled-cursor.ts'

/** Each level is up to six calls deep. */
const MAX_DEPTH = 300

const BUILTIN: Readonly<Record<string, string>> = {
  v: 'void',
  w: 'wchar_t',
  b: 'bool',
  c: 'char',
  a: 'signed char',
  h: 'unsigned char',
  s: 'short',
  t: 'unsigned short',
  i: 'int',
  j: 'unsigned int',
  l: 'long',
  m: 'unsigned long',
  x: 'long long',
  y: 'unsigned long long',
  n: '__int128',
  o: 'unsigned __int128',
  f: 'float',
  d: 'double',
  e: 'long double',
  g: '__float128',
  z: '...',
}

const BUILTIN_D: Readonly<Record<string, string>> = {
  d: 'decimal64',
  e: 'decimal128',
  f: 'decimal32',
  h: 'half',
  i: 'char32_t',
  s: 'char16_t',
  u: 'char8_t',
  a: 'auto',
  c: 'decltype(auto)',
  n: 'decltype(nullptr)',
}

const STD = textNode('std')
const CHAR_TRAITS: CppNode = { kind: 'template', name: std('char_traits'), args: [textNode('char')] }
const STANDARD: Readonly<Record<string, CppNode>> = {
  t: STD,
  a: std('allocator'),
  b: std('basic_string'),
  s: stream('basic_string', { kind: 'template', name: std('allocator'), args: [textNode('char')] }),
  i: stream('basic_istream'),
  o: stream('basic_ostream'),
  d: stream('basic_iostream'),
}

function std(name: string): CppNode {
  return { kind: 'nested', scope: STD, name: textNode(name) }
}

function stream(name: string, ...more: readonly CppNode[]): CppNode {
  return { kind: 'template', name: std(name), args: [textNode('char'), CHAR_TRAITS, ...more] }
}

/** Facts about a function's type that its name gives. */
export interface NameState {
  endsWithArgs: boolean
  /** Constructors, destructors and conversions have no return type. */
  isWithoutReturn: boolean
  qualifiers: string
}

export abstract class CppTypeParser extends MangledCursor {
  /** The parts that later codes can refer to. */
  protected substitutions: CppNode[] = []
  /** The template arguments of the function whose name was read last. */
  protected functionArgs: readonly CppNode[] | undefined
  /** Template parameters of a lambda are its `auto` parameters. */
  protected inLambda = false
  /** Whether the parser is in the type of a conversion operator, whose template arguments follow. */
  protected inConversion = false
  protected readonly readsScopeLists: boolean
  /** Whether the other reading of scopes might make a difference. */
  isAmbiguous = false

  constructor(text: string, at: number, readsScopeLists: boolean) {
    super(text, at, MAX_DEPTH)
    this.readsScopeLists = readsScopeLists
  }

  protected abstract name(state?: NameState): CppNode
  protected abstract expression(): CppNode
  protected abstract templateArgs(areOfFunction: boolean): CppNode[]
  protected abstract sourceName(): CppNode

  type(): CppNode {
    return this.nested(() => this.#type())
  }

  #type(): CppNode {
    const char = this.peek()
    const builtin = BUILTIN[char]
    if (builtin !== undefined) {
      this.at++
      return textNode(builtin)
    }
    switch (char) {
      case 'r':
      case 'V':
      case 'K':
        return this.#qualifiedType()
      case 'P':
        return this.#indirect('*')
      case 'R':
        return this.#indirect('&')
      case 'O':
        return this.#indirect('&&')
      case 'C':
        return this.#suffixed(' _Complex')
      case 'G':
        return this.#suffixed(' _Imaginary')
      case 'F':
        return this.#remember(this.functionType(''))
      case 'A':
        return this.#remember(this.#array())
      case 'M': {
        this.at++
        const of = this.type()
        return this.#remember({ kind: 'memberPointer', of, type: this.type() })
      }
      case 'u': {
        this.at++
        const name = this.sourceName()
        if (this.peek() !== 'I') return this.#remember(name)
        return this.#remember({ kind: 'template', name, args: this.templateArgs(false) })
      }
      case 'U':
        return this.#vendorQualified()
      case 'D':
        return this.#typeD()
      case 'T':
        return this.#typeT()
      case 'S':
        if (this.peek(1) !== 't') return this.#typeS()
    }
    return this.#remember(this.name())
  }

  #remember(node: CppNode): CppNode {
    this.substitutions.push(node)
    return node
  }

  #indirect(mark: '*' | '&' | '&&'): CppNode {
    this.at++
    return this.#remember({ kind: 'indirect', to: this.type(), mark })
  }

  #suffixed(suffix: string): CppNode {
    this.at++
    return this.#remember(concatNode(this.type(), suffix))
  }

  #qualifiedType(): CppNode {
    const qualifiers = this.qualifiers()
    // A function's own qualifiers are part of its type. Codes cannot refer to them separately.
    if (this.peek() === 'F' || (this.peek() === 'D' && 'oOwx'.includes(this.peek(1)))) {
      return this.#remember(this.functionType(qualifiers))
    }
    return this.#remember({ kind: 'qualified', type: this.type(), qualifiers })
  }

  protected qualifiers(): string {
    const isRestrict = this.accept('r')
    const isVolatile = this.accept('V')
    const isConst = this.accept('K')
    return `${isConst ? ' const' : ''}${isVolatile ? ' volatile' : ''}${isRestrict ? ' __restrict' : ''}`
  }

  /** `before`: the qualifiers in front of it. */
  protected functionType(before: string): FunctionNode {
    const suffix: (string | CppNode)[] = [before]
    const late: (string | CppNode)[] = []
    for (;;) {
      if (this.accept('Dx')) late.push(' transaction_safe')
      else if (this.accept('Do')) late.push(' noexcept')
      else if (this.accept('DO')) {
        late.push(' noexcept(', this.expression(), ')')
        this.expect('E')
      } else if (this.accept('Dw')) {
        late.push(' throw(', { kind: 'list', items: this.#typesUntilE() }, ')')
      } else break
    }
    this.expect('F')
    this.accept('Y')
    const returns = this.type()
    const params = this.params(() => this.accept('E'), suffix)
    return { kind: 'function', returns, params, suffix: [...suffix, ...late] }
  }

  /** Parses parameter types up to the end. A reference qualifier goes to the suffix. */
  protected params(isEnd: () => boolean, suffix: (string | CppNode)[]): CppNode[] {
    const params: CppNode[] = []
    for (;;) {
      if (isEnd()) break
      if (this.peek() === 'R' && this.peek(1) === 'E') {
        this.at++
        suffix.push(' &')
      } else if (this.peek() === 'O' && this.peek(1) === 'E') {
        this.at++
        suffix.push(' &&')
      } else if (params.length === 0 && this.peek() === 'v') {
        this.at++
        if (isEnd()) break
        if (!'RO'.includes(this.peek())) this.fail()
      } else params.push(this.type())
    }
    return params
  }

  #typesUntilE(): CppNode[] {
    const types: CppNode[] = []
    while (!this.accept('E')) types.push(this.type())
    return types
  }

  #array(): CppNode {
    this.expect('A')
    let size = textNode('')
    if (this.isDigit()) size = textNode(this.digits())
    else if (this.peek() !== '_') size = this.expression()
    this.expect('_')
    return { kind: 'array', of: this.type(), size }
  }

  #vendorQualified(): CppNode {
    this.at++
    const name = this.sourceName()
    const args = this.peek() === 'I' ? this.templateArgs(false) : undefined
    const type = this.type()
    return this.#remember(concatNode(type, ' ', args === undefined ? name : { kind: 'template', name, args }))
  }

  #typeD(): CppNode {
    const second = this.peek(1)
    const builtin = BUILTIN_D[second]
    if (builtin !== undefined) {
      this.at += 2
      return textNode(builtin)
    }
    switch (second) {
      case 't':
      case 'T':
        return this.#remember(this.decltype())
      case 'p':
        this.at += 2
        return this.#remember({ kind: 'expansion', pattern: this.type() })
      case 'o':
      case 'O':
      case 'w':
      case 'x':
        return this.#remember(this.functionType(''))
      case 'v':
        return this.#vector()
      case 'F':
        return this.#float()
      case 'B':
      case 'U': {
        this.at += 2
        const bits = this.isDigit() ? this.digits() : this.expression()
        this.expect('_')
        return concatNode(second === 'U' ? 'unsigned ' : '', '_BitInt(', bits, ')')
      }
    }
    return this.#remember(this.name())
  }

  protected decltype(): CppNode {
    this.at += 2
    const expression = this.expression()
    this.expect('E')
    return concatNode('decltype (', expression, ')')
  }

  #vector(): CppNode {
    this.at += 2
    let size: CppNode
    if (this.isDigit()) size = textNode(this.digits())
    else {
      this.expect('_')
      size = this.expression()
    }
    this.expect('_')
    const type = this.type()
    return this.#remember(concatNode(type, ' __vector(', size, ')'))
  }

  #float(): CppNode {
    this.at += 2
    if (this.accept('16b')) return textNode('std::bfloat16_t')
    const bits = this.digits()
    if (this.accept('x')) return textNode(`_Float${bits}x`)
    this.expect('_')
    return textNode(`_Float${bits}`)
  }

  #typeT(): CppNode {
    const keyword = { s: 'struct ', u: 'union ', e: 'enum ' }[this.peek(1)]
    if (keyword !== undefined) {
      this.at += 2
      return this.#remember(concatNode(keyword, this.name()))
    }
    const param = this.#remember(this.templateParam())
    if (this.peek() !== 'I' || this.#isArgsOfConversion()) return param
    return this.#remember({ kind: 'template', name: param, args: this.templateArgs(false) })
  }

  #typeS(): CppNode {
    const part = this.substitution()
    if (this.peek() !== 'I' || this.#isArgsOfConversion()) return part
    return this.#remember({ kind: 'template', name: part, args: this.templateArgs(false) })
  }

  /** Arguments after the type of a conversion operator belong to the operator, unless more follow. */
  #isArgsOfConversion(): boolean {
    if (!this.inConversion) return false
    const { at, substitutions } = this
    const kept = substitutions.slice()
    const isOfType = this.attempt(() => {
      this.templateArgs(false)
      return this.peek() === 'I'
    })
    this.at = at
    this.substitutions = kept
    return isOfType !== true
  }

  protected templateParam(): CppNode {
    this.expect('T')
    let isOuter = true
    if (this.accept('L')) {
      isOuter = this.peek() === '0' && this.peek(1) === '_'
      this.#sequenceNumber()
      this.expect('_')
    }
    let index = 0
    if (!this.accept('_')) {
      index = this.number() + 1
      this.expect('_')
    }
    return { kind: 'param', index, isOfLambda: this.inLambda || !isOuter, first: this.functionArgs?.[index] }
  }

  #sequenceNumber(): number {
    return this.isDigit() ? this.number() : 0
  }

  /** Parses `S` and its code. Tags may follow the standard abbreviations. */
  protected substitution(): CppNode {
    this.expect('S')
    const char = this.peek()
    const standard = char >= 'a' && char <= 'z' ? STANDARD[char] : undefined
    if (standard !== undefined) {
      this.at++
      if (this.peek() !== 'B' || char === 't') return standard
      return this.#remember(this.abiTags(standard))
    }
    let index = 0
    if (!this.accept('_')) {
      const end = this.text.indexOf('_', this.at)
      const digits = this.text.slice(this.at, end)
      if (end < 0 || !/^[0-9A-Z]{1,6}$/.test(digits)) this.fail()
      index = Number.parseInt(digits, 36) + 1
      this.at = end + 1
    }
    return this.substitutions[index] ?? this.fail()
  }

  protected abiTags(name: CppNode): CppNode {
    let tagged = name
    while (this.accept('B')) tagged = { kind: 'tagged', name: tagged, tag: this.take(this.number()) }
    return tagged
  }
}
