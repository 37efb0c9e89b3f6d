// Reads the arguments of predicates: substitutes variables and converts the text to the type that the predicate expects.
//
// A variable's value is text and never syntax: `{`, `|` and other characters are literal. A list stands for any of its
// items, so it is allowed only where a pattern is allowed.
import { Category } from '../messages/event.ts'
import type { Value } from '../messages/value.ts'
import { isList, isStruct } from '../messages/value.ts'
import { closeOf, escaped } from './braces.ts'
import { quoteRegex } from './linear-regex.ts'
import type { Argument, TextArgument } from './rule.ts'
import { RuleError } from './rule-error.ts'
import type { SegmentPattern } from './segment-pattern.ts'
import { parseHostPattern, parsePathPattern } from './segment-pattern.ts'
import type { TextPattern } from './text-pattern.ts'
import { PatternError, parseTextPattern } from './text-pattern.ts'

/** Values by name, without `.Vars` or `.Env`. */
export type Variables = Readonly<Record<string, Value>>

/** The types of arguments. */
export interface ArgumentValues {
  readonly string: string
  readonly number: number
  /** A name, with or without quotes. */
  readonly word: string
  /** MESSAGE, REQUEST or RESPONSE, as its number. */
  readonly category: number
  /** A text, or `{regex}`. */
  readonly pattern: TextPattern
  /** The same, ignoring case. */
  readonly anyCase: TextPattern
  readonly path: SegmentPattern
  readonly pathPrefix: SegmentPattern
  readonly host: SegmentPattern
}

export type ArgumentKind = keyof ArgumentValues

export function readArgument<K extends ArgumentKind>(
  argument: Argument,
  kind: K,
  variables: Variables,
  rule: string,
): ArgumentValues[K] {
  return READERS[kind](argument, variables, rule)
}

const CATEGORIES = ['MESSAGE', 'REQUEST', 'RESPONSE'] as const

type Readers = {
  readonly [K in ArgumentKind]: (argument: Argument, variables: Variables, rule: string) => ArgumentValues[K]
}

const READERS: Readers = {
  string: (argument, variables, rule) => plainText(expectText(argument, rule), variables, rule),
  word: (argument, variables, rule) =>
    argument.kind === 'word' ? argument.value : plainText(expectText(argument, rule), variables, rule),
  category: readCategory,
  number: readNumber,
  pattern: patternReader('{', text => parseTextPattern(text)),
  anyCase: patternReader('{', text => parseTextPattern(text, true)),
  path: patternReader('{:', parsePathPattern),
  // `/static/` and `/static` are the same prefix.
  pathPrefix: patternReader('{:', text => parsePathPattern(text.endsWith('/') ? text.slice(0, -1) : text)),
  host: patternReader('{:', parseHostPattern),
}

function expectText(argument: Argument, rule: string): TextArgument {
  if (argument.kind !== 'text') throw new RuleError('expected a text in backticks or quotes', rule, argument.at)
  return argument
}

function plainText({ parts, at }: TextArgument, variables: Variables, rule: string): string {
  const texts = parts.map(part => {
    if (typeof part === 'string') return part
    const value = valueOf(variables, part.variable)
    if (isList(value)) throw new RuleError(`${part.variable} is a list; only patterns accept lists`, rule, at)
    return scalarText(value, part.variable, rule, at)
  })
  return texts.join('')
}

function readCategory(argument: Argument, variables: Variables, rule: string): number {
  const name = READERS.word(argument, variables, rule)
  const found = CATEGORIES.find(category => category === name.toUpperCase())
  if (found === undefined)
    throw new RuleError(`unknown category "${name}"; there are ${CATEGORIES.join(', ')}`, rule, argument.at)
  return Category[found]
}

function readNumber(argument: Argument, variables: Variables, rule: string): number {
  if (argument.kind === 'number') return argument.value
  if (argument.kind === 'text' && argument.parts.some(part => typeof part !== 'string')) {
    const text = plainText(argument, variables, rule)
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value))
      throw new RuleError(`"${text}" is not a number`, rule, argument.at)
    return value
  }
  throw new RuleError('expected a number', rule, argument.at)
}

/** `open` is the start of a pattern without a name. */
function patternReader<T>(open: '{' | '{:', parse: (text: string) => T) {
  return (argument: Argument, variables: Variables, rule: string): T => {
    const written = expectText(argument, rule)
    const text = patternText(written, variables, rule, open)
    try {
      return parse(text)
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      throw new RuleError(error.message, rule, placeOf(written, error.index))
    }
  }
}

/** The position of a character in the rule. Variables shift positions, so the start of the argument is used then. */
function placeOf({ parts, places, at }: TextArgument, index: number): number {
  if (parts.some(part => typeof part !== 'string')) return at
  return places === undefined ? at + index : (places[index] ?? places.at(-1) ?? at)
}

function patternText(argument: TextArgument, variables: Variables, rule: string, open: string): string {
  let text = ''
  for (const part of argument.parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const value = valueOf(variables, part.variable)
    const isIn = isInBraces(text)
    const one = (item: Value): string => scalarText(item, part.variable, rule, argument.at)
    if (isList(value)) {
      const any = value.map(item => quoteRegex(one(item))).join('|')
      text += isIn ? `(?:${any})` : `${open}(?:${any})}`
    } else text += isIn ? quoteRegex(one(value)) : escaped(one(value))
  }
  return text
}

/** Whether the text ends inside a pattern. */
function isInBraces(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '{') {
      const close = closeOf(text, i)
      if (close < 0) return true
      i = close - 1
    }
  }
  return false
}

/** A missing variable is an empty text. The router rejects the route if the variable is required. */
function valueOf(variables: Variables, name: string): Value {
  return Object.hasOwn(variables, name) ? variables[name] : ''
}

function scalarText(value: Value, name: string, rule: string, at: number): string {
  if (value === null) return ''
  if (isStruct(value) || isList(value)) throw new RuleError(`${name} is neither a text nor a list of texts`, rule, at)
  return String(value)
}

/** The text of an argument with its variables, for the rule's priority. */
export function shownValue(variables: Variables, name: string): string {
  const value = valueOf(variables, name)
  if (isList(value)) return '{}'
  return value === null || isStruct(value) ? '' : String(value)
}
