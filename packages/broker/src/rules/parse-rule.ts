// Parses rules by recursive descent:
//
//   or    = and { "||" and }
//   and   = unary { "&&" unary }
//   unary = "!" unary | "(" or ")" | name "(" [ argument { "," argument } ] ")"
//
// The parser does not know the predicates, so all sets of predicates share it. To use another set, define the predicates and
// compile with them:
//
//   const PREDICATES = {
//     SpanSlower: predicate<Seen, ['number']>(['number'], ms => ({ span }) => span !== undefined && span.ms > ms),
//     Attr: predicate<Seen, ['string', 'pattern']>(['string', 'pattern'], (key, value) => seen => value.matches(seen.attr(key))),
//   }
//   const compiled = compileRule(parseRule('SpanSlower(800) && !Attr(`peer`, `{test-.*}`)'), PREDICATES)
//   compiled.match(seen)  // a RuleMatch, or undefined
import type { Argument, ParsedRule, Rule, Variable } from './rule.ts'
import { RuleError } from './rule-error.ts'
import type { Operator, Token } from './tokenize.ts'
import { tokenize } from './tokenize.ts'

/** The maximum length of a rule. Every event is matched against all routes. */
export const MAX_RULE_LENGTH = 4096
/** The maximum nesting of parentheses and `!`. */
export const MAX_RULE_NESTING = 32

const VARIABLE = /\{\{\s*\.(\w+)\.([\w-]+)\s*\}\}/g

/** Throws a RuleError. */
export function parseRule(text: string): ParsedRule {
  if (text.length > MAX_RULE_LENGTH)
    throw new RuleError(`rule is longer than ${MAX_RULE_LENGTH} characters`, text, MAX_RULE_LENGTH)
  const parser = new Parser(text)
  return { text, rule: parser.whole() }
}

class Parser {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #next = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokenize(text)
  }

  whole(): Rule {
    const rule = this.#or()
    if (this.#peek.kind !== 'end') this.#fail('expected "&&", "||" or the end of the rule')
    return rule
  }

  get #peek(): Token {
    return this.#tokens[this.#next]
  }

  #fail(what: string, token: Token = this.#peek): never {
    throw new RuleError(`${what}, found ${nameOf(token)}`, this.#text, token.at)
  }

  #take(kind: Operator): boolean {
    if (this.#peek.kind !== kind) return false
    this.#next++
    return true
  }

  #expect(kind: Operator): void {
    if (!this.#take(kind)) this.#fail(`expected "${kind}"`)
  }

  #or(): Rule {
    const rules = [this.#and()]
    while (this.#take('||')) rules.push(this.#and())
    return rules.length === 1 ? rules[0] : { kind: 'or', rules }
  }

  #and(): Rule {
    const rules = [this.#unary()]
    while (this.#take('&&')) rules.push(this.#unary())
    return rules.length === 1 ? rules[0] : { kind: 'and', rules }
  }

  #unary(): Rule {
    if (this.#peek.kind === '!' || this.#peek.kind === '(') {
      if (++this.#depth > MAX_RULE_NESTING)
        throw new RuleError(`rule is nested deeper than ${MAX_RULE_NESTING} levels`, this.#text, this.#peek.at)
      const rule = this.#take('!') ? ({ kind: 'not', rule: this.#unary() } as const) : this.#inParentheses()
      this.#depth--
      return rule
    }
    return this.#call()
  }

  #inParentheses(): Rule {
    this.#expect('(')
    const rule = this.#or()
    this.#expect(')')
    return rule
  }

  #call(): Rule {
    const token = this.#peek
    if (token.kind !== 'name') return this.#fail('expected a predicate')
    this.#next++
    this.#expect('(')
    const list: Argument[] = []
    if (!this.#take(')')) {
      do list.push(this.#argument())
      while (this.#take(','))
      this.#expect(')')
    }
    return { kind: 'call', name: token.text, arguments: list, at: token.at }
  }

  #argument(): Argument {
    const token = this.#peek
    this.#next++
    if (token.kind === 'number') return { kind: 'number', value: token.value, at: token.at }
    if (token.kind === 'name') return { kind: 'word', value: token.text, at: token.at }
    if (token.kind !== 'text') return this.#fail('expected an argument', token)
    const { value, at, places } = token
    return { kind: 'text', parts: this.#partsOf(token), at, places: value.includes('{{') ? undefined : places }
  }

  #partsOf({ value, at, places }: Token & { readonly kind: 'text' }): readonly (string | Variable)[] {
    const parts: (string | Variable)[] = []
    let end = 0
    for (const { 0: whole, 1: from, 2: name, index } of value.matchAll(VARIABLE)) {
      if (from !== 'Vars' && from !== 'Env')
        throw new RuleError(
          `"${from}" is not available to rules; use Vars or Env`,
          this.#text,
          places?.[index] ?? at + index,
        )
      if (index > end) parts.push(value.slice(end, index))
      parts.push({ variable: name })
      end = index + whole.length
    }
    if (end < value.length) parts.push(value.slice(end))
    return parts
  }
}

function nameOf(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'the end of the rule'
    case 'name':
      return `"${token.text}"`
    case 'number':
      return 'a number'
    case 'text':
      return 'a text'
    case '(':
    case ')':
    case ',':
    case '&&':
    case '||':
    case '!':
      return `"${token.kind}"`
  }
}
