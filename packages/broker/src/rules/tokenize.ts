// Splits a rule into tokens: names, numbers, texts in backticks (literal) or double quotes (with escapes), patterns in bare
// braces, operators.
import { closeOf } from './braces.ts'
import { RuleError } from './rule-error.ts'

export type Token =
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | {
      readonly kind: 'text'
      readonly value: string
      readonly at: number
      readonly places: readonly number[] | undefined
    }
  | { readonly kind: Operator | 'end'; readonly at: number }

export type Operator = '(' | ')' | ',' | '&&' | '||' | '!'

const OPERATORS: readonly Operator[] = ['(', ')', ',', '&&', '||', '!']
const NAME = /[A-Za-z_][A-Za-z0-9_.-]*/y
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPE = /\\(?:([abfnrtv\\"'])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y
const LETTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
}

export function tokenize(rule: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    while (at < rule.length && /\s/.test(rule[at])) at++
    if (at === rule.length) break
    const [token, end] = tokenAt(rule, at)
    tokens.push(token)
    at = end
  }
  return [...tokens, { kind: 'end', at }]
}

function tokenAt(rule: string, at: number): readonly [Token, end: number] {
  const char = rule[at]
  if (char === '`') return rawText(rule, at)
  if (char === '"') return quotedText(rule, at)
  if (char === '{') return barePattern(rule, at)
  const operator = OPERATORS.find(each => rule.startsWith(each, at))
  if (operator !== undefined) return [{ kind: operator, at }, at + operator.length]
  const name = match(NAME, rule, at)
  if (name !== undefined) return [{ kind: 'name', text: name, at }, at + name.length]
  const number = match(NUMBER, rule, at)
  if (number !== undefined) return [{ kind: 'number', value: Number(number), at }, at + number.length]
  if (char === '&' || char === '|') throw new RuleError(`a single "${char}"; the operator has two`, rule, at)
  throw new RuleError(`unexpected character "${char}"`, rule, at)
}

function match(expression: RegExp, rule: string, at: number): string | undefined {
  expression.lastIndex = at
  return expression.exec(rule)?.[0]
}

function rawText(rule: string, at: number): readonly [Token, end: number] {
  const close = rule.indexOf('`', at + 1)
  if (close < 0) throw new RuleError('text without a closing backtick', rule, at)
  return [{ kind: 'text', value: rule.slice(at + 1, close), at: at + 1, places: undefined }, close + 1]
}

/** `{regex}` without quotes. */
function barePattern(rule: string, at: number): readonly [Token, end: number] {
  const end = closeOf(rule, at)
  if (end < 0) throw new RuleError('pattern without a closing brace', rule, at)
  return [{ kind: 'text', value: rule.slice(at, end), at, places: undefined }, end]
}

function quotedText(rule: string, at: number): readonly [Token, end: number] {
  let value = ''
  const places: number[] = []
  let i = at + 1
  while (i < rule.length && rule[i] !== '"') {
    let text = rule[i]
    let length = 1
    if (text === '\\') {
      ESCAPE.lastIndex = i
      const found = ESCAPE.exec(rule)
      if (found === null) throw new RuleError('unknown escape; use backticks for literal backslashes', rule, i)
      const [whole, letter, ...codes] = found
      text = letter === undefined ? characterOf(codes, rule, i) : LETTERS[letter]
      length = whole.length
    }
    for (let unit = 0; unit < text.length; unit++) places.push(i)
    value += text
    i += length
  }
  if (i === rule.length) throw new RuleError('text without a closing quote', rule, at)
  return [{ kind: 'text', value, at: at + 1, places }, i + 1]
}

function characterOf(codes: readonly (string | undefined)[], rule: string, at: number): string {
  const code = Number.parseInt(codes.find(each => each !== undefined) ?? '', 16)
  if (code > 0x10ffff) throw new RuleError('invalid character code', rule, at)
  return String.fromCodePoint(code)
}
