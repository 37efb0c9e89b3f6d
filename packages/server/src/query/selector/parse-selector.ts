// Parses a selector. selector.ts describes the grammar. Errors have a position.
import type {
  Field,
  Level,
  Literal,
  Matcher,
  Operator,
  StackPosition,
  ProfileType,
  Selector,
  StackPredicate,
} from './selector.ts'
import {
  FIELDS,
  LEVELS,
  MAX_MATCHERS,
  MAX_PREDICATES,
  MAX_SELECTOR_LENGTH,
  OPERATORS,
  STACK_POSITIONS,
  builtInKey,
} from './selector.ts'
import type { Token } from './tokens.ts'
import { Tokens, isDigit } from './tokens.ts'

/** Throws QuerySyntaxError. */
export function parseSelector(text: string): Selector {
  const tokens = new Tokens(text)
  if (text.length > MAX_SELECTOR_LENGTH) {
    tokens.fail(`the selector has ${text.length} characters; the limit is ${MAX_SELECTOR_LENGTH}`, MAX_SELECTOR_LENGTH)
  }
  return new Parser(tokens).selector()
}

const MIN_INT = -(2n ** 63n)
const MAX_INT = 2n ** 63n - 1n
const IS_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const IS_WHOLE = /^[+-]?\d+$/

class Parser {
  readonly #tokens: Tokens

  constructor(tokens: Tokens) {
    this.#tokens = tokens
  }

  selector(): Selector {
    const profileType = this.#profileType()
    const matchers = this.#matchers()
    const predicates = this.#predicates()
    const rest = this.#tokens.peek()
    if (rest.kind !== 'end') this.#unexpected(rest, matchers === undefined ? 'a {, a | or the end' : 'a | or the end')
    return { profileType, matchers: matchers ?? [], predicates }
  }

  #profileType(): ProfileType | undefined {
    const first = this.#tokens.peek()
    if (first.kind !== 'word' && first.kind !== 'text') return undefined
    const parts: string[] = [this.#tokens.take().text]
    while (this.#skip(':')) {
      const part = this.#tokens.peek()
      parts.push(part.kind === 'word' || part.kind === 'text' ? this.#tokens.take().text : '')
    }
    const position = first.from
    // Pyroscope appends a sixth part to types of differences.
    if (parts.length === 6 && parts[5] === 'delta') parts.pop()
    const none = { name: undefined, unit: undefined, periodType: undefined, periodUnit: undefined, position }
    if (parts.length <= 2) {
      const [type, unit] = parts
      if (type === '' || unit === '') this.#tokens.fail('a profile type with an empty part', position)
      return { ...none, type, unit }
    }
    if (parts.length !== 5) {
      // Types of perf have colons: cpu-clock:ppp, cycles:P.
      const quoted = `"${parts.slice(0, -1).join(':')}":${parts[parts.length - 1]}`
      const advice = `if the name contains a colon, quote it: ${quoted}`
      this.#tokens.fail(`a profile type has 1, 2 or 5 parts, not ${parts.length}; ${advice}`, position)
    }
    const [name, type, unit, periodType, periodUnit] = parts
    if (type === '') this.#tokens.fail('a profile type with an empty part', position)
    return { name, type, unit, periodType, periodUnit, position }
  }

  /** Undefined if there are no braces. */
  #matchers(): Matcher[] | undefined {
    if (!this.#skip('{')) return undefined
    const matchers: Matcher[] = []
    while (!this.#skip('}')) {
      if (matchers.length === MAX_MATCHERS)
        this.#tokens.fail(`more than ${MAX_MATCHERS} matchers`, this.#tokens.peek().from)
      matchers.push(this.#matcher())
      if (this.#skip(',')) continue
      if (this.#skip('}')) break
      this.#unexpected(this.#tokens.peek(), 'a comma or }')
    }
    return matchers
  }

  #matcher(): Matcher {
    const position = this.#tokens.peek().from
    if (this.#skip('!')) return this.#checked({ kind: 'presence', present: false, ...this.#key(), position })
    const key = this.#key()
    const next = this.#tokens.peek()
    const operator = next.kind === 'mark' ? OPERATORS.find(each => each === next.text) : undefined
    if (operator === undefined) return this.#checked({ kind: 'presence', present: true, ...key, position })
    this.#tokens.take()
    const valuePosition = this.#tokens.peek().from
    const value = this.#literal()
    this.#checkOperand(operator, value, valuePosition)
    return this.#checked({ kind: 'value', ...key, operator, value, position, valuePosition })
  }

  #key(): { readonly level: Level | undefined; readonly key: string } {
    const first = this.#tokens.take()
    if (first.kind !== 'word' && first.kind !== 'text') this.#unexpected(first, 'the name of an attribute')
    if (this.#tokens.peek().text !== ':' || this.#tokens.peek().kind !== 'mark') {
      return { level: undefined, key: this.#name(first) }
    }
    const level = first.kind === 'word' ? LEVELS.find(each => each === first.text) : undefined
    if (level === undefined) {
      this.#tokens.fail(`${JSON.stringify(first.text)} is not one of ${LEVELS.join(', ')}`, first.from)
    }
    this.#tokens.take()
    const name = this.#tokens.take()
    if (name.kind !== 'word' && name.kind !== 'text') this.#unexpected(name, 'the name of an attribute')
    return { level, key: this.#name(name) }
  }

  #name(token: Token): string {
    if (token.kind === 'word' && !isBareName(token.text)) {
      this.#tokens.fail(`${JSON.stringify(token.text)} is not a name; put it in quotes to use it as one`, token.from)
    }
    return token.text
  }

  #literal(): Literal {
    const token = this.#tokens.take()
    if (token.kind === 'text') return token.text
    if (token.kind !== 'word') this.#unexpected(token, 'a text, a number, true or false')
    const { text } = token
    if (text === 'true' || text === 'false') return text === 'true'
    if (!IS_NUMBER.test(text))
      this.#tokens.fail(`${JSON.stringify(text)} is not a number; put texts in quotes`, token.from)
    if (!IS_WHOLE.test(text)) return this.#finite(Number(text), token)
    const whole = BigInt(text.replace(/^\+/, ''))
    if (whole < MIN_INT || whole > MAX_INT) this.#tokens.fail('a whole number beyond 64 bits', token.from)
    return whole
  }

  #finite(value: number, token: Token): number {
    if (!Number.isFinite(value)) this.#tokens.fail('a number beyond the range of doubles', token.from)
    return value
  }

  #checkOperand(operator: Operator, value: Literal, position: number): void {
    const isRegex = operator === '=~' || operator === '!~'
    const isOrder = !isRegex && operator !== '=' && operator !== '!='
    if (isRegex && typeof value !== 'string')
      this.#tokens.fail(`${operator} requires a regular expression in quotes`, position)
    if (isOrder && typeof value !== 'bigint' && typeof value !== 'number')
      this.#tokens.fail(`${operator} requires a number`, position)
  }

  /** Ids are looked up, not compared, so they allow only some operators. */
  #checked(matcher: Matcher): Matcher {
    const builtIn = builtInKey(matcher)
    if (builtIn === 'trace.id' || builtIn === 'span.id' || builtIn === 'profile.id') {
      if (matcher.kind === 'presence') {
        if (!matcher.present || builtIn === 'profile.id')
          this.#tokens.fail(`${builtIn} requires = and an id`, matcher.position)
        return matcher
      }
      if (matcher.operator !== '=') this.#tokens.fail(`${builtIn} requires = and an id`, matcher.position)
      const { value, valuePosition } = matcher
      const length = { 'trace.id': 32, 'span.id': 16, 'profile.id': undefined }[builtIn]
      if (
        typeof value !== 'string' ||
        !/^(?:[0-9a-fA-F]{2})+$/.test(value) ||
        (length ?? value.length) !== value.length
      ) {
        const digits = length === undefined ? 'hex digits' : `${length} hex digits`
        this.#tokens.fail(`${builtIn} must be ${digits} in quotes`, valuePosition)
      }
    }
    if (builtIn === 'scope.name' || builtIn === 'scope.version') {
      if (matcher.kind === 'value' && typeof matcher.value !== 'string')
        this.#tokens.fail(`${builtIn} must be a text`, matcher.valuePosition)
    }
    return matcher
  }

  #predicates(): StackPredicate[] {
    const predicates: StackPredicate[] = []
    for (let position = this.#tokens.peek().from; this.#skip('|'); position = this.#tokens.peek().from) {
      if (predicates.length === MAX_PREDICATES) this.#tokens.fail(`more than ${MAX_PREDICATES} predicates`, position)
      predicates.push(this.#predicate())
    }
    return predicates
  }

  #predicate(): StackPredicate {
    const position = this.#tokens.peek().from
    const negated = this.#skip('!')
    const word = this.#tokens.take()
    const place =
      word.kind === 'word' ? STACK_POSITIONS.find((each): each is StackPosition => each === word.text) : undefined
    if (place === undefined) this.#unexpected(word, STACK_POSITIONS.join(', '))
    const field = this.#field()
    const regex = this.#comparison()
    const value = this.#tokens.take()
    if (value.kind !== 'text') this.#unexpected(value, 'a text in quotes')
    const file = field === 'name' ? this.#file() : undefined
    const condition = { negated, place, field, regex, value: value.text, position, valuePosition: value.from }
    return file === undefined ? condition : { ...condition, file }
  }

  /** The file after `in`. */
  #file(): string | undefined {
    const token = this.#tokens.peek()
    if (token.kind !== 'word' || token.text !== 'in') return undefined
    this.#tokens.take()
    const file = this.#tokens.take()
    if (file.kind !== 'text') this.#unexpected(file, 'the name of a file in quotes')
    return file.text
  }

  #field(): Field {
    const token = this.#tokens.peek()
    if (token.kind !== 'word') return 'name'
    const field = FIELDS.find((each): each is Field => each === token.text)
    if (field === undefined) this.#unexpected(token, `a text in quotes or one of ${FIELDS.join(', ')}`)
    this.#tokens.take()
    return field
  }

  /** Whether the comparison is a regular expression. */
  #comparison(): boolean {
    const token = this.#tokens.peek()
    if (token.kind !== 'mark') return false
    if (token.text === '!=' || token.text === '!~')
      this.#tokens.fail('put the ! before frame, from or leaf', token.from)
    if (token.text !== '=' && token.text !== '=~') return false
    this.#tokens.take()
    return token.text === '=~'
  }

  #skip(mark: string): boolean {
    const token = this.#tokens.peek()
    if (token.kind !== 'mark' || token.text !== mark) return false
    this.#tokens.take()
    return true
  }

  #unexpected(token: Token, wanted: string): never {
    const found = token.kind === 'end' ? 'the end' : JSON.stringify(token.text)
    return this.#tokens.fail(`${found} instead of ${wanted}`, token.from)
  }
}

/** Whether the attribute name needs no quotes. */
export function isBareName(text: string): boolean {
  const first = text.charCodeAt(0)
  if (text === '' || isDigit(first) || '.-+/%'.includes(text[0])) return false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x2b || code === 0x25 || !(code < 0x80)) return false
  }
  return /^[\w.\-/]+$/.test(text)
}
