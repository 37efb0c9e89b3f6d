// Prints a C++ name as c++filt does. Declarators enclose the declared name, so a type is printed in two halves:
//
//   void (*) [3] (int)      left half: void (*      right half: ) [3] (int)
import type { CppNode } from './cpp-node.ts'

/** The maximum length of a printed name. Template-heavy programs have names of 8 KB. */
export const MAX_OUTPUT = 1 << 16
/** The maximum depth. A chain of back references is deep although the mangled name is not. Each level takes up to three calls. */
const MAX_DEPTH = 500
const MAX_STEPS = 1 << 18
const OUTSIDE = -1

/** Thrown if a name exceeds a limit. `printCpp` catches it. */
class PrintLimit extends Error {}

/** Returns undefined if the name is too long or too deep. */
export function printCpp(node: CppNode): string | undefined {
  const printer = new CppPrinter()
  try {
    printer.print(node)
  } catch (error) {
    if (error instanceof PrintLimit) return undefined
    throw error
  }
  return printer.output
}

/** The arguments that template parameters stand for. */
interface Scope {
  readonly args: readonly CppNode[]
  readonly outer: Scope | undefined
}

class CppPrinter {
  output = ''
  #last = ''
  #pendingComma = false
  #depth = 0
  #steps = 0
  /** The index of the pack item that is being printed. */
  #packIndex = OUTSIDE
  #scope: Scope | undefined
  #inLambda = false

  print(node: CppNode): void {
    this.#left(node)
    this.#right(node)
  }

  #append(text: string): void {
    if (text === '') return
    if (this.#pendingComma) {
      this.#pendingComma = false
      this.output += ', '
    }
    this.output += text
    this.#last = text[text.length - 1]
    if (this.output.length > MAX_OUTPUT) throw new PrintLimit()
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH || ++this.#steps > MAX_STEPS) throw new PrintLimit()
  }

  #left(node: CppNode): void {
    this.#enter()
    this.#printLeft(node)
    this.#depth--
  }

  #right(node: CppNode): void {
    this.#enter()
    this.#printRight(node)
    this.#depth--
  }

  #printLeft(node: CppNode): void {
    switch (node.kind) {
      case 'text':
        return this.#append(node.text)
      case 'concat':
        return this.#parts(node.parts)
      case 'list':
        return this.#list(node.items)
      case 'nested':
        this.print(node.scope)
        this.#append('::')
        return this.print(node.name)
      case 'template':
        return this.#template(node.name, node.args)
      case 'pack': {
        if (this.#packIndex === OUTSIDE) return this.#list(node.items)
        const item = node.items[this.#packIndex]
        return item === undefined ? undefined : this.#insideItem(() => this.#left(item))
      }
      case 'expansion':
        return this.#expansion(node.pattern)
      case 'tagged':
        this.print(node.name)
        return this.#append(`[abi:${node.tag}]`)
      case 'structor':
        if (node.isDestructor) this.#append('~')
        return this.#baseName(node.of)
      case 'conversion':
        this.#append('operator ')
        return this.print(node.type)
      case 'lambda':
        return this.#lambda(node)
      case 'qualified':
        this.#left(node.type)
        return isFunction(this.#resolve(node.type)) ? undefined : this.#append(this.#ownQualifiers(node))
      case 'indirect':
        return this.#indirectLeft(node)
      case 'memberPointer': {
        this.#left(node.type)
        const target = this.#resolve(node.type)
        if (isFunction(target)) this.#append('(')
        else if (target.kind === 'array') this.#append(' (')
        else this.#append(' ')
        this.print(node.of)
        return this.#append('::*')
      }
      case 'function':
        return this.#returns(node.returns)
      case 'array':
        return this.#left(node.of)
      case 'encoding':
        return this.#encoding(node)
      case 'param':
        return this.#param(node, arg => this.#left(arg))
      case 'packSize': {
        const pack = this.#resolve(node.of)
        if (pack.kind === 'pack') return this.#append(`${pack.items.length}`)
        return this.#parts(['sizeof...(', node.of, ')'])
      }
    }
  }

  #printRight(node: CppNode): void {
    if (node.kind === 'pack') {
      const item = this.#packIndex === OUTSIDE ? undefined : node.items[this.#packIndex]
      if (item !== undefined) this.#insideItem(() => this.#right(item))
    } else if (node.kind === 'qualified') {
      this.#right(node.type)
      if (isFunction(this.#resolve(node.type))) this.#append(node.qualifiers)
    } else if (node.kind === 'indirect') {
      this.#declaratorRight(this.#collapse(node).to)
    } else if (node.kind === 'memberPointer') {
      this.#declaratorRight(node.type)
    } else if (node.kind === 'function') {
      this.#parameters(node.params)
      this.#parts(node.suffix)
      if (node.returns !== undefined) this.#right(node.returns)
    } else if (node.kind === 'array') {
      if (this.#last !== ']') this.#append(' ')
      this.#append('[')
      this.print(node.size)
      this.#append(']')
      this.#right(node.of)
    } else if (node.kind === 'param' && !this.#isAuto(node)) {
      this.#param(node, arg => this.#right(arg))
    }
  }

  #declaratorRight(to: CppNode): void {
    const target = this.#resolve(to)
    if (target.kind === 'array' || isFunction(target)) this.#append(')')
    this.#right(to)
  }

  /** Prints `const` once if T in `T const` is const already. */
  #ownQualifiers({ type, qualifiers }: CppNode & { kind: 'qualified' }): string {
    const inner = this.#resolve(type)
    if (inner.kind !== 'qualified') return qualifiers
    return qualifiers.replace(/ \w+/g, word => (inner.qualifiers.includes(word) ? '' : word))
  }

  #returns(returns: CppNode | undefined): void {
    if (returns === undefined) return
    this.#left(returns)
    if (!this.#hasOpenParenthesis(returns)) this.#append(' ')
  }

  #encoding({ name, type, args }: CppNode & { kind: 'encoding' }): void {
    const scope = this.#scope
    const inLambda = this.#inLambda
    if (args !== undefined) this.#scope = { args, outer: scope }
    this.#inLambda = false
    this.#returns(type.returns)
    this.print(name)
    this.#parameters(type.params)
    this.#parts(type.suffix)
    if (type.returns !== undefined) this.#right(type.returns)
    this.#scope = scope
    this.#inLambda = inLambda
  }

  #lambda({ params, number }: CppNode & { kind: 'lambda' }): void {
    const outer = this.#inLambda
    this.#inLambda = true
    this.#append('{lambda(')
    this.#list(params)
    this.#append(`)#${number}}`)
    this.#inLambda = outer
  }

  #argument({ index, first }: ParamNode): CppNode | undefined {
    return this.#scope?.args[index] ?? first
  }

  #isAuto(param: ParamNode): boolean {
    return this.#inLambda || this.#argument(param) === undefined
  }

  #param(param: ParamNode, print: (arg: CppNode) => void): void {
    const arg = this.#argument(param)
    if (arg === undefined || this.#isAuto(param)) {
      if (!param.isOfLambda && !this.#inLambda) throw new PrintLimit()
      return this.#append(`auto:${param.index + 1}`)
    }
    const scope = this.#scope
    const inLambda = this.#inLambda
    // The argument itself refers to arguments of the enclosing scope.
    this.#scope = scope?.outer
    this.#inLambda = false
    print(arg)
    this.#scope = scope
    this.#inLambda = inLambda
  }

  #indirectLeft(node: CppNode & { kind: 'indirect' }): void {
    const { to, mark } = this.#collapse(node)
    this.#left(to)
    const target = this.#resolve(to)
    if (isFunction(target)) this.#append('(')
    else if (target.kind === 'array') this.#append(' (')
    this.#append(mark)
  }

  /** A reference to a reference is one reference: `&` wins over `&&`. */
  #collapse(node: CppNode & { kind: 'indirect' }): { to: CppNode; mark: string } {
    let { to, mark } = node
    while (mark !== '*') {
      this.#step()
      const target = this.#resolve(to)
      if (target.kind !== 'indirect' || target.mark === '*') break
      if (target.mark === '&') mark = '&'
      to = target.to
    }
    return { to, mark }
  }

  #step(): void {
    if (++this.#steps > MAX_STEPS) throw new PrintLimit()
  }

  /** Resolves packs, parameters, and qualifiers of functions and arrays. */
  #resolve(node: CppNode): CppNode {
    let qualified: CppNode | undefined
    for (;;) {
      this.#step()
      if (node.kind === 'qualified') {
        qualified ??= node
        node = node.type
      } else if (node.kind === 'param' && !this.#isAuto(node)) node = this.#argument(node) ?? node
      else if (node.kind === 'pack' && node.items[this.#packIndex] !== undefined) node = node.items[this.#packIndex]
      else return isFunction(node) || node.kind === 'array' ? node : (qualified ?? node)
    }
  }

  #hasOpenParenthesis(returns: CppNode): boolean {
    if (this.#last === ')' || this.#last === '>') return false
    let node = this.#resolve(returns)
    while (node.kind === 'indirect' || node.kind === 'qualified') {
      this.#step()
      node = this.#resolve(node.kind === 'indirect' ? node.to : node.type)
    }
    return isFunction(node) || node.kind === 'array'
  }

  #parameters(params: readonly CppNode[]): void {
    this.#append('(')
    this.#list(params)
    this.#pendingComma = false
    this.#append(')')
  }

  #template(name: CppNode, args: readonly CppNode[]): void {
    this.print(name)
    // `operator<` and an argument list would be read as another operator.
    this.#append(this.#last === '<' ? ' <' : '<')
    this.#list(args)
    this.#append(this.#last === '>' ? ' >' : '>')
  }

  #parts(parts: readonly (string | CppNode)[]): void {
    for (const part of parts) {
      if (typeof part === 'string') this.#append(part)
      else this.print(part)
    }
  }

  #list(items: readonly CppNode[]): void {
    let isFirst = true
    for (const item of items) {
      const before = this.output.length
      const pending = this.#pendingComma
      if (!isFirst) this.#pendingComma = true
      this.print(item)
      if (this.output.length === before) this.#pendingComma = pending
      else isFirst = false
    }
  }

  #expansion(pattern: CppNode): void {
    const length = this.#packLength(pattern)
    if (length === undefined) {
      return this.#parts(['(', pattern, ')...'])
    }
    const outer = this.#packIndex
    let isFirst = true
    for (let i = 0; i < length; i++) {
      this.#packIndex = i
      const before = this.output.length
      const pending = this.#pendingComma
      if (!isFirst) this.#pendingComma = true
      this.print(pattern)
      if (this.output.length === before) this.#pendingComma = pending
      else isFirst = false
    }
    this.#packIndex = outer
  }

  /** The packs of an item are its own. */
  #insideItem(print: () => void): void {
    const outer = this.#packIndex
    this.#packIndex = OUTSIDE
    print()
    this.#packIndex = outer
  }

  /** The length of the first pack in a pattern. */
  #packLength(node: CppNode): number | undefined {
    if (node.kind === 'param') node = (this.#isAuto(node) ? undefined : this.#argument(node)) ?? node
    this.#step()
    if (node.kind === 'pack') return node.items.length
    if (node.kind === 'text' || node.kind === 'expansion') return undefined
    this.#enter()
    for (const child of childrenOf(node)) {
      const length = this.#packLength(child)
      if (length === undefined) continue
      this.#depth--
      return length
    }
    this.#depth--
    return undefined
  }

  /** The name of a constructor: the last part of its class, without arguments. */
  #baseName(node: CppNode): void {
    for (;;) {
      this.#step()
      if (node.kind === 'nested' || node.kind === 'template' || node.kind === 'tagged') node = node.name
      else if (node.kind === 'concat' && typeof node.parts.at(-1) === 'object') node = node.parts.at(-1) as CppNode
      else return this.print(node)
    }
  }
}

type ParamNode = CppNode & { kind: 'param' }

function isFunction(node: CppNode): boolean {
  return node.kind === 'function'
}

function childrenOf(node: CppNode): readonly CppNode[] {
  switch (node.kind) {
    case 'concat':
      return node.parts.filter(part => typeof part !== 'string')
    case 'list':
      return node.items
    case 'nested':
      return [node.scope, node.name]
    case 'template':
      return [node.name, ...node.args]
    case 'tagged':
      return [node.name]
    case 'structor':
      return [node.of]
    case 'conversion':
    case 'qualified':
      return [node.type]
    case 'lambda':
      return node.params
    case 'indirect':
      return [node.to]
    case 'memberPointer':
      return [node.of, node.type]
    case 'function':
      return [...(node.returns === undefined ? [] : [node.returns]), ...node.params, ...nodesOf(node.suffix)]
    case 'array':
      return [node.of, node.size]
    case 'encoding':
      return [node.name, node.type]
    case 'text':
    case 'pack':
    case 'packSize':
    case 'expansion':
    case 'param':
      return []
  }
}

function nodesOf(parts: readonly (string | CppNode)[]): CppNode[] {
  return parts.filter(part => typeof part !== 'string')
}
