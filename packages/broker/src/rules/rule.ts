// The syntax tree of a rule: calls of predicates, joined by `&&`, `||`, `!` and parentheses. compile-rule.ts defines the
// predicates and their arguments.

export type Rule = Call | Not | Junction

export interface Call {
  readonly kind: 'call'
  readonly name: string
  readonly arguments: readonly Argument[]
  /** The position in the text. */
  readonly at: number
}

interface Not {
  readonly kind: 'not'
  readonly rule: Rule
}

/** `and` binds tighter than `or`. */
interface Junction {
  readonly kind: 'and' | 'or'
  readonly rules: readonly Rule[]
}

export type Argument = TextArgument | NumberArgument | WordArgument

/** A text in quotes or a pattern in braces, with the variables in it. */
export interface TextArgument {
  readonly kind: 'text'
  readonly parts: readonly (string | Variable)[]
  readonly at: number
  /** The position of each character in the rule; undefined for text without escapes. */
  readonly places: readonly number[] | undefined
}

/** `{{.Vars.NAME}}` or `{{.Env.NAME}}`. Both mean the same. */
export interface Variable {
  readonly variable: string
}

interface NumberArgument {
  readonly kind: 'number'
  readonly value: number
  readonly at: number
}

/** A name without quotes, such as ERROR. */
interface WordArgument {
  readonly kind: 'word'
  readonly value: string
  readonly at: number
}

export interface ParsedRule {
  readonly text: string
  readonly rule: Rule
}

/** The calls in a rule, from left to right. */
function callsOf(rule: Rule): Call[] {
  if (rule.kind === 'call') return [rule]
  return rule.kind === 'not' ? callsOf(rule.rule) : rule.rules.flatMap(callsOf)
}

/** The names of the variables that a rule requires. */
export function variablesOf({ rule }: ParsedRule): ReadonlySet<string> {
  const names = callsOf(rule)
    .flatMap(call => call.arguments)
    .flatMap(argument => (argument.kind === 'text' ? argument.parts : []))
    .flatMap(part => (typeof part === 'string' ? [] : [part.variable]))
  return new Set(names)
}
