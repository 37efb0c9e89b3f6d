// Parses template arguments in mangled C++ names, including literals and expressions.
import type { CppNode } from './cpp-node.ts'
import { concatNode, textNode } from './cpp-node.ts'
import { BINARY, OPERATORS, UNARY } from './cpp-operators.ts'
import { CppTypeParser } from './cpp-type-parser.ts'

/** The suffixes of integer literals that are not plain ints. */
const INTEGER_SUFFIX: Readonly<Record<string, string>> = { i: '', j: 'u', l: 'l', m: 'ul', x: 'll', y: 'ull' }
const CASTS: Readonly<Record<string, string>> = {
  dc: 'dynamic_cast',
  sc: 'static_cast',
  cc: 'const_cast',
  rc: 'reinterpret_cast',
}
/** Operators whose operand is a type if the code ends in `t` or `i`. */
const OF_TYPE: Readonly<Record<string, string>> = { st: 'sizeof ', at: 'alignof ', ti: 'typeid ' }
const OF_EXPRESSION: Readonly<Record<string, string>> = { sz: 'sizeof ', az: 'alignof ', te: 'typeid ' }

export abstract class CppExpressionParser extends CppTypeParser {
  protected abstract encoding(withReturn: boolean): CppNode

  protected sourceName(): CppNode {
    const length = this.number()
    if (length === 0) this.fail()
    const name = this.take(length)
    return textNode(/^_GLOBAL_[._$]N/.test(name) ? '(anonymous namespace)' : name)
  }

  /** `areOfFunction`: whether later `T_` codes refer to these arguments. */
  protected templateArgs(areOfFunction: boolean): CppNode[] {
    return this.nested(() => {
      this.expect('I')
      const args: CppNode[] = []
      const params: CppNode[] = []
      const { inConversion } = this
      this.inConversion = false
      if (areOfFunction) this.functionArgs = params
      while (!this.accept('E')) {
        if (this.accept('Q')) {
          this.expression()
          continue
        }
        const arg = this.templateArg()
        args.push(arg)
        params.push(arg.kind === 'list' ? { kind: 'pack', items: arg.items } : arg)
      }
      this.inConversion = inConversion
      return args
    })
  }

  protected templateArg(): CppNode {
    return this.nested(() => {
      switch (this.peek()) {
        case 'X': {
          this.at++
          const expression = this.expression()
          this.expect('E')
          return expression
        }
        case 'L':
          return this.#literal()
        case 'I':
        case 'J': {
          this.at++
          const items: CppNode[] = []
          while (!this.accept('E')) items.push(this.templateArg())
          return { kind: 'list', items }
        }
      }
      return this.type()
    })
  }

  #literal(): CppNode {
    this.expect('L')
    if (this.accept('_Z') || this.accept('Z')) {
      const encoding = this.encoding(true)
      this.expect('E')
      return encoding
    }
    const code = this.peek()
    const isBuiltin = /^[a-z]$/.test(code) && code !== 'u' && code !== 'r'
    const type = this.type()
    const sign = this.accept('n') ? '-' : ''
    const end = this.text.indexOf('E', this.at)
    const value = this.text.slice(this.at, end)
    if (end < 0 || !/^\w*$/.test(value)) this.fail()
    this.at = end + 1
    if (isBuiltin && INTEGER_SUFFIX[code] !== undefined) return textNode(`${sign}${value}${INTEGER_SUFFIX[code]}`)
    if (code === 'b' && (value === '0' || value === '1')) return textNode(value === '1' ? 'true' : 'false')
    if (code === 'D' && value === '') return type
    if (isBuiltin && 'fdeg'.includes(code)) return concatNode('(', type, `)${sign}[${value}]`)
    return concatNode('(', type, `)${sign}${value}`)
  }

  protected expression(): CppNode {
    return this.nested(() => this.#expression())
  }

  #expression(): CppNode {
    const first = this.peek()
    if (first === 'L') return this.#literal()
    if (first === 'T') return this.templateParam()
    if (this.isDigit()) return this.#maybeTemplate(this.sourceName())
    if (first === 'f' && 'pL'.includes(this.peek(1))) return this.#functionParam()
    const code = this.take(2)
    if (UNARY.has(code)) return this.#unary(code)
    if (BINARY.has(code)) return this.#binary(code)
    const cast = CASTS[code]
    if (cast !== undefined) {
      const type = this.type()
      return concatNode(cast, '<', type, '>(', this.expression(), ')')
    }
    if (OF_TYPE[code] !== undefined) return concatNode(OF_TYPE[code], '(', this.type(), ')')
    if (code === 'nx') return concatNode('noexcept(', this.expression(), ')')
    if (OF_EXPRESSION[code] !== undefined) return concatNode(OF_EXPRESSION[code], this.#operand())
    return this.#otherExpression(code)
  }

  #otherExpression(code: string): CppNode {
    switch (code) {
      case 'cl': {
        const callee = this.#operand()
        return concatNode(callee, '(', { kind: 'list', items: this.#untilE() }, ')')
      }
      case 'cv':
        return this.#conversion()
      case 'il':
        return concatNode('{', { kind: 'list', items: this.#untilE() }, '}')
      case 'tl': {
        const type = this.type()
        return concatNode(type, '{', { kind: 'list', items: this.#untilE() }, '}')
      }
      case 'ix': {
        const array = this.#operand()
        return concatNode(array, '[', this.expression(), ']')
      }
      case 'qu': {
        const condition = this.#operand()
        const yes = this.#operand()
        return concatNode(condition, '?', yes, ' : ', this.#operand())
      }
      case 'dt':
      case 'pt': {
        const object = this.#operand()
        return concatNode(object, OPERATORS[code], this.#memberName())
      }
      case 'sp':
        return { kind: 'expansion', pattern: this.expression() }
      case 'sZ':
        return this.#packSize()
      case 'sP': {
        let length = 0
        for (const arg of this.#argsUntilE())
          length += arg.kind === 'list' || arg.kind === 'pack' ? arg.items.length : 1
        return textNode(`${length}`)
      }
      case 'sr':
        return this.#scoped()
      case 'on':
      case 'dn':
        this.at -= 2
        return this.#memberName()
      case 'gs':
        return this.#global()
      case 'nw':
      case 'na':
        return this.#new(code)
      case 'dl':
      case 'da':
        return concatNode(code === 'dl' ? 'delete ' : 'delete[] ', this.#operand())
      case 'fl':
      case 'fr':
      case 'fL':
      case 'fR':
        return this.#fold(code)
      case 'tw':
        return concatNode('throw ', this.#operand())
      case 'tr':
        return textNode('throw')
      case 'rq':
      case 'rQ':
        return this.#requires(code)
    }
    return this.fail()
  }

  #untilE(): CppNode[] {
    const items: CppNode[] = []
    while (!this.accept('E')) items.push(this.expression())
    return items
  }

  #argsUntilE(): CppNode[] {
    const items: CppNode[] = []
    while (!this.accept('E')) items.push(this.templateArg())
    return items
  }

  /** Adds parentheses, unless the expression is a name or a list in braces. */
  #operand(): CppNode {
    const isParam = this.peek() === 'f' && 'pL'.includes(this.peek(1))
    const isList = (this.peek() === 'i' || this.peek() === 't') && this.peek(1) === 'l'
    const isName = this.isDigit() || ['sr', 'on', 'dn'].includes(this.text.slice(this.at, this.at + 2))
    const node = this.expression()
    if (isParam || isList || (isName && (node.kind === 'text' || node.kind === 'nested'))) return node
    return concatNode('(', node, ')')
  }

  #unary(code: string): CppNode {
    const isPostfix = (code === 'pp' || code === 'mm') && !this.accept('_')
    if (code === 'ad') {
      const from = this.at
      const node = this.expression()
      // The address of a function with a qualified name is printed without parameters.
      if (
        this.text[from] === 'L' &&
        node.kind === 'encoding' &&
        node.name.kind === 'nested' &&
        node.type.suffix.every(part => part === '')
      )
        return concatNode('&', node.name)
      if (node.kind === 'text' || node.kind === 'nested') return concatNode('&', node)
      return concatNode('&', '(', node, ')')
    }
    const operand = this.#operand()
    return isPostfix ? concatNode(operand, OPERATORS[code]) : concatNode(OPERATORS[code], operand)
  }

  #binary(code: string): CppNode {
    const left = this.#operand()
    const right = this.#operand()
    // A bare `>` would close the argument list.
    if (code === 'gt') return concatNode('(', left, '>', right, ')')
    return concatNode(left, OPERATORS[code], right)
  }

  #conversion(): CppNode {
    const type = this.type()
    if (!this.accept('_')) return concatNode('(', type, ')', this.#operand())
    return concatNode('(', type, ')(', { kind: 'list', items: this.#untilE() }, ')')
  }

  #functionParam(): CppNode {
    if (this.accept('fpT')) return textNode('this')
    if (this.accept('fL')) {
      this.number()
      this.expect('p')
    } else this.expect('fp')
    this.qualifiers()
    const number = this.accept('_') ? 1 : this.number() + 2
    if (number > 1) this.expect('_')
    return textNode(`{parm#${number}}`)
  }

  #packSize(): CppNode {
    if (this.peek() !== 'T') return concatNode('sizeof...(', this.#functionParam(), ')')
    return { kind: 'packSize', of: this.templateParam() }
  }

  #fold(code: string): CppNode {
    const operator = OPERATORS[this.take(2)]
    if (operator === undefined) return this.fail()
    const first = this.#operand()
    if (code === 'fl') return concatNode('(...', operator, first, ')')
    if (code === 'fr') return concatNode('(', first, operator, '...)')
    return concatNode('(', first, operator, '...', operator, this.#operand(), ')')
  }

  #new(code: string): CppNode {
    const placement: CppNode[] = []
    while (!this.accept('_')) placement.push(this.expression())
    const parts: (string | CppNode)[] = [code === 'nw' ? 'new ' : 'new[] ']
    if (placement.length > 0) parts.push('(', { kind: 'list', items: placement }, ') ')
    parts.push(this.type())
    if (this.accept('pi')) parts.push('(', { kind: 'list', items: this.#untilE() }, ')')
    else if (this.peek() === 'i') parts.push(this.expression())
    else this.expect('E')
    return concatNode(...parts)
  }

  #global(): CppNode {
    return concatNode('::', this.expression())
  }

  /**
   * Parses the code `sr`: a name in a type, or in a list of scopes that may not be types. The difference may become clear
   * only much later, so the caller tries both readings of the complete name.
   */
  #scoped(): CppNode {
    if (!this.isDigit()) return { kind: 'nested', scope: this.type(), name: this.#memberName() }
    this.isAmbiguous = true
    if (!this.readsScopeLists) return { kind: 'nested', scope: this.type(), name: this.#memberName() }
    let scope = this.#simpleId()
    while (!this.accept('E')) scope = { kind: 'nested', scope, name: this.#simpleId() }
    const name = this.#memberName()
    if (name.kind !== 'template') return { kind: 'nested', scope, name }
    return { kind: 'template', name: { kind: 'nested', scope, name: name.name }, args: name.args }
  }

  #simpleId(): CppNode {
    return this.#maybeTemplate(this.sourceName())
  }

  #maybeTemplate(name: CppNode): CppNode {
    const tagged = this.abiTags(name)
    return this.peek() === 'I' ? { kind: 'template', name: tagged, args: this.templateArgs(false) } : tagged
  }

  #memberName(): CppNode {
    if (this.accept('dn')) {
      const of = this.isDigit() ? this.#simpleId() : this.type()
      return concatNode('~', of)
    }
    if (this.isDigit()) return this.#simpleId()
    if (this.accept('on')) {
      const code = this.take(2)
      if (code === 'cv') return this.#maybeTemplate({ kind: 'conversion', type: this.type() })
      if (code === 'li') return this.#maybeTemplate(concatNode('operator"" ', this.sourceName()))
      const operator = OPERATORS[code]
      if (operator === undefined) return this.fail()
      return this.#maybeTemplate(textNode(`operator${/^[a-z]/.test(operator) ? ' ' : ''}${operator}`))
    }
    return this.expression()
  }

  #requires(code: string): CppNode {
    const parts: (string | CppNode)[] = ['requires ']
    if (code === 'rQ') {
      const params: CppNode[] = []
      while (!this.accept('_')) params.push(this.type())
      parts.push('(', { kind: 'list', items: params }, ') ')
    }
    parts.push('{')
    while (!this.accept('E')) {
      if (this.accept('X')) {
        const expression = this.expression()
        const isNoexcept = this.accept('N')
        parts.push(isNoexcept ? ' {' : ' ', expression, isNoexcept ? '} noexcept' : '')
        if (this.accept('R')) parts.push(' -> ', this.name())
      } else if (this.accept('T')) parts.push(' typename ', this.type())
      else if (this.accept('Q')) parts.push(' requires ', this.expression())
      else this.fail()
      parts.push(';')
    }
    return concatNode(...parts, ' }')
  }
}
