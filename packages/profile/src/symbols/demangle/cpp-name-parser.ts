// Parses the names of functions and variables in mangled C++ names, and special names: virtual tables, thunks, guards.
import { CppExpressionParser } from './cpp-expression-parser.ts'
import type { CppNode, FunctionNode } from './cpp-node.ts'
import { concatNode, textNode } from './cpp-node.ts'
import { OPERATORS } from './cpp-operators.ts'
import type { NameState } from './cpp-type-parser.ts'

const SPECIAL_T: Readonly<Record<string, string>> = {
  V: 'vtable for ',
  T: 'VTT for ',
  I: 'typeinfo for ',
  S: 'typeinfo name for ',
}

export class CppNameParser extends CppExpressionParser {
  /** Parses a complete mangled name after `_Z`. */
  mangledName(): CppNode {
    let node = this.encoding(true)
    for (let suffix = this.#cloneSuffix(); suffix !== ''; suffix = this.#cloneSuffix()) {
      node = concatNode(node, ` [clone ${suffix}]`)
    }
    if (!this.isAtEnd) this.fail()
    return node
  }

  /** Parses the suffixes that compilers add to copies of a function: `.isra.0`, `.cold`, `.llvm.123`. */
  #cloneSuffix(): string {
    const match = /^\.(?:[a-zA-Z_]+(?:\.\d+)*|\d+(?:\.\d+)*)/.exec(this.text.slice(this.at))
    return match === null ? '' : this.take(match[0].length)
  }

  encoding(withReturn: boolean): CppNode {
    return this.nested(() => this.#encoding(withReturn))
  }

  #encoding(withReturn: boolean): CppNode {
    const char = this.peek()
    if (char === 'G' || char === 'T') return this.#special()
    const { functionArgs, inLambda, inConversion } = this
    this.functionArgs = undefined
    this.inLambda = false
    this.inConversion = false
    const state: NameState = { endsWithArgs: false, isWithoutReturn: false, qualifiers: '' }
    let name = this.name(state)
    if (!this.#isEncodingEnd()) {
      const returns = state.endsWithArgs && !state.isWithoutReturn ? this.type() : undefined
      const suffix: (string | CppNode)[] = [state.qualifiers]
      const params = this.params(() => this.#isEncodingEnd() || this.peek() === 'Q', suffix)
      if (this.accept('Q')) suffix.push(' requires ', this.expression())
      const type: FunctionNode = { kind: 'function', returns: withReturn ? returns : undefined, params, suffix }
      name = { kind: 'encoding', name, type, args: this.functionArgs }
    }
    this.functionArgs = functionArgs
    this.inLambda = inLambda
    this.inConversion = inConversion
    return name
  }

  #isEncodingEnd(): boolean {
    const char = this.peek()
    return char === '' || char === 'E' || char === '.' || char === '_'
  }

  #special(): CppNode {
    const code = this.take(2)
    const table = code[0] === 'T' ? SPECIAL_T[code[1]] : undefined
    if (table !== undefined) return concatNode(table, this.type())
    switch (code) {
      case 'TC': {
        const derived = this.type()
        this.number()
        this.expect('_')
        const base = this.type()
        return concatNode('construction vtable for ', base, '-in-', derived)
      }
      case 'Th':
      case 'Tv':
        this.#callOffset(code[1])
        return concatNode(code === 'Th' ? 'non-virtual thunk to ' : 'virtual thunk to ', this.encoding(true))
      case 'Tc':
        this.#callOffset(this.next())
        this.#callOffset(this.next())
        return concatNode('covariant return thunk to ', this.encoding(true))
      case 'TW':
        return concatNode('TLS wrapper function for ', this.name())
      case 'TH':
        return concatNode('TLS init function for ', this.name())
      case 'TA':
        return concatNode('template parameter object for ', this.templateArg())
      case 'GV':
        return concatNode('guard variable for ', this.name())
      case 'GR': {
        const name = this.name()
        const number = this.accept('_') ? 0 : Number.parseInt(this.#untilUnderscore(), 36) + 1
        return concatNode(`reference temporary #${number} for `, name)
      }
      case 'GI':
        return concatNode('initializer for module ', this.name())
      case 'GA':
        return concatNode('hidden alias for ', this.encoding(true))
      case 'GT':
        return concatNode(
          this.next() === 'n' ? 'non-transaction clone for ' : 'transaction clone for ',
          this.encoding(true),
        )
    }
    return this.fail()
  }

  #untilUnderscore(): string {
    const match = /^[0-9A-Z]{1,6}_/.exec(this.text.slice(this.at, this.at + 8))
    if (match === null) return this.fail()
    this.at += match[0].length
    return match[0].slice(0, -1)
  }

  #callOffset(kind: string): void {
    if (kind !== 'h' && kind !== 'v') this.fail()
    for (let i = kind === 'h' ? 1 : 2; i > 0; i--) {
      this.accept('n')
      this.number()
      this.expect('_')
    }
  }

  name(state?: NameState): CppNode {
    return this.nested(() => this.#name(state))
  }

  #name(state?: NameState): CppNode {
    const char = this.peek()
    if (char === 'N') return this.#nestedName(state)
    if (char === 'Z') return this.#localName(state)
    if (char === 'S' && this.peek(1) !== 't') {
      const part = this.substitution()
      if (this.peek() !== 'I') return this.fail()
      return this.#withArgs(part, state)
    }
    const isStd = this.accept('St')
    const name = this.#unqualified(undefined, state)
    const whole: CppNode = isStd ? { kind: 'nested', scope: textNode('std'), name } : name
    if (this.peek() !== 'I') return whole
    this.substitutions.push(whole)
    return this.#withArgs(whole, state)
  }

  #withArgs(name: CppNode, state: NameState | undefined): CppNode {
    const args = this.templateArgs(state !== undefined)
    if (state !== undefined) state.endsWithArgs = true
    return { kind: 'template', name, args }
  }

  #nestedName(state?: NameState): CppNode {
    this.expect('N')
    // An explicit object parameter looks like an ordinary one.
    this.accept('H')
    let qualifiers = this.qualifiers()
    if (this.accept('R')) qualifiers += ' &'
    else if (this.accept('O')) qualifiers += ' &&'
    if (state !== undefined) state.qualifiers = qualifiers
    let soFar: CppNode | undefined
    let isSubstitution = false
    while (!this.accept('E')) {
      const char = this.peek()
      isSubstitution = false
      if (state !== undefined) state.endsWithArgs = false
      if (char === 'T') {
        if (soFar !== undefined) this.fail()
        soFar = this.templateParam()
      } else if (char === 'I') {
        if (soFar === undefined) return this.fail()
        soFar = this.#withArgs(soFar, state)
      } else if (char === 'D' && (this.peek(1) === 't' || this.peek(1) === 'T')) {
        if (soFar !== undefined) this.fail()
        soFar = this.decltype()
      } else if (char === 'S') {
        if (soFar !== undefined) this.fail()
        const isStd = this.peek(1) === 't'
        soFar = this.substitution()
        isSubstitution = true
        if (isStd && this.peek() === 'E') this.fail()
        continue
      } else if (char === 'M') {
        // The rest is local to the initializer of the data member.
        if (soFar === undefined) this.fail()
        this.at++
        continue
      } else {
        const name = this.#unqualified(soFar, state)
        soFar = soFar === undefined ? name : { kind: 'nested', scope: soFar, name }
      }
      this.substitutions.push(soFar)
    }
    if (soFar === undefined) return this.fail()
    // Only a complete type can be referred to, and its parser adds it.
    if (!isSubstitution) this.substitutions.pop()
    return soFar
  }

  #localName(state?: NameState): CppNode {
    this.expect('Z')
    const scope = this.encoding(false)
    this.expect('E')
    if (this.accept('s')) {
      this.#discriminator()
      return { kind: 'nested', scope, name: textNode('string literal') }
    }
    if (this.accept('d')) {
      const number = this.accept('_') ? 1 : this.number() + 2
      if (number > 1) this.expect('_')
      const inner = this.name(state)
      return {
        kind: 'nested',
        scope: { kind: 'nested', scope, name: textNode(`{default arg#${number}}`) },
        name: inner,
      }
    }
    const entity = this.name(state)
    this.#discriminator()
    return { kind: 'nested', scope, name: entity }
  }

  #discriminator(): void {
    if (this.accept('__')) {
      this.number()
      this.accept('_')
    } else if (this.peek() === '_' && this.isDigit(1)) this.at += 2
  }

  #unqualified(scope: CppNode | undefined, state?: NameState): CppNode {
    this.accept('F')
    this.accept('L')
    while (this.accept('W')) {
      this.accept('P')
      this.sourceName()
    }
    const char = this.peek()
    let name: CppNode
    if (this.isDigit()) name = this.sourceName()
    else if (char === 'U') name = this.#unnamed()
    else if (char === 'D' && this.peek(1) === 'C') name = this.#structuredBinding()
    else if (char === 'C' || char === 'D') name = this.#structor(scope, state)
    else name = this.#operator(state)
    return this.abiTags(name)
  }

  #structor(scope: CppNode | undefined, state: NameState | undefined): CppNode {
    if (scope === undefined) return this.fail()
    const isDestructor = this.next() === 'D'
    const isInherited = !isDestructor && this.accept('I')
    const digit = this.next()
    if (digit < '0' || digit > '6') this.fail()
    if (isInherited) this.type()
    if (state !== undefined) state.isWithoutReturn = true
    return { kind: 'structor', of: scope, isDestructor }
  }

  #structuredBinding(): CppNode {
    this.at += 2
    const names: CppNode[] = []
    while (!this.accept('E')) names.push(this.sourceName())
    return concatNode('[', { kind: 'list', items: names }, ']')
  }

  #unnamed(): CppNode {
    this.expect('U')
    if (this.accept('t')) return textNode(`{unnamed type#${this.#ordinal()}}`)
    this.expect('l')
    const outer = this.inLambda
    this.inLambda = true
    while (this.peek() === 'T' && 'yntpk'.includes(this.peek(1))) this.#templateParamDeclaration()
    const params = this.params(() => this.accept('E'), [])
    this.inLambda = outer
    return { kind: 'lambda', params, number: this.#ordinal() }
  }

  /** Skips the template parameters of a lambda. They are not printed. */
  #templateParamDeclaration(): void {
    this.nested(() => {
      this.expect('T')
      const kind = this.next()
      if (kind === 'n') this.type()
      else if (kind === 'k') this.name()
      else if (kind === 'p') this.#templateParamDeclaration()
      else if (kind === 't') while (!this.accept('E')) this.#templateParamDeclaration()
      else if (kind !== 'y') this.fail()
    })
  }

  /** `_` is the first, `0_` the second. */
  #ordinal(): number {
    if (this.accept('_')) return 1
    const number = this.number() + 2
    this.expect('_')
    return number
  }

  #operator(state: NameState | undefined): CppNode {
    const code = this.take(2)
    if (code === 'cv') {
      this.inConversion = state !== undefined
      const type = this.type()
      this.inConversion = false
      if (state !== undefined) state.isWithoutReturn = true
      return { kind: 'conversion', type }
    }
    if (code === 'li') return concatNode('operator"" ', this.sourceName())
    if (code[0] === 'v' && this.isDigit(-1)) return concatNode('operator ', this.sourceName())
    const operator = OPERATORS[code]
    if (operator === undefined) return this.fail()
    return textNode(`operator${/^[a-z]/.test(operator) ? ' ' : ''}${operator}`)
  }
}
