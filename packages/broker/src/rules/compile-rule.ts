// Compiles a rule with a set of predicates into a function that matches subjects and returns their params. See
// parse-rule.ts for how another set of predicates is described.
import type { Event } from '../messages/event.ts'
import type { ArgumentKind, ArgumentValues, Variables } from './arguments.ts'
import { readArgument } from './arguments.ts'
import type { RuleMatch } from './captures.ts'
import { Captures } from './captures.ts'
import { priorityOf } from './priority.ts'
import type { Call, ParsedRule, Rule } from './rule.ts'
import { RuleError } from './rule-error.ts'

/** Returns whether a subject matches. Writes captured values into `captures`. */
export type Test<Subject> = (subject: Subject, captures: Captures) => boolean

/** The values of arguments, by their kinds. */
export type ValuesOf<Kinds extends readonly ArgumentKind[]> = { [Place in keyof Kinds]: ArgumentValues[Kinds[Place]] }

export interface Predicate<Subject> {
  readonly kinds: readonly ArgumentKind[]
  /** Whether the last kind may be repeated. It must occur at least once. */
  readonly isVariadic: boolean
  readonly compile: (values: readonly unknown[]) => Test<Subject>
}

export type Predicates<Subject> = Readonly<Record<string, Predicate<Subject>>>

/** A predicate with a fixed number of arguments. */
export function predicate<Subject, Kinds extends readonly ArgumentKind[]>(
  kinds: readonly [...Kinds],
  compile: (...values: ValuesOf<Kinds>) => Test<Subject>,
): Predicate<Subject> {
  return { kinds, isVariadic: false, compile: values => compile(...(values as ValuesOf<Kinds>)) }
}

/** A predicate with one or more arguments of one kind. */
export function variadicPredicate<Subject, Kind extends ArgumentKind>(
  kind: Kind,
  compile: (values: readonly ArgumentValues[Kind][]) => Test<Subject>,
): Predicate<Subject> {
  return { kinds: [kind], isVariadic: true, compile: values => compile(values as readonly ArgumentValues[Kind][]) }
}

export interface CompiledRule<Subject = Event> {
  readonly text: string
  /** Longer rules are more specific; see priority.ts. */
  readonly priority: number
  /** Returns undefined if it does not match. */
  match(subject: Subject): RuleMatch | undefined
}

/** Throws a RuleError for an unknown predicate or invalid arguments. */
export function compileRule<Subject>(
  parsed: ParsedRule,
  predicates: Predicates<Subject>,
  variables: Variables = {},
): CompiledRule<Subject> {
  const test = compileTest(parsed, predicates, variables)
  const captures = new Captures()
  return {
    text: parsed.text,
    priority: priorityOf(parsed, variables),
    match: subject => {
      captures.backTo(0)
      return test(subject, captures) ? captures.match() : undefined
    },
  }
}

export function compileTest<Subject>(
  { text, rule }: ParsedRule,
  predicates: Predicates<Subject>,
  variables: Variables,
): Test<Subject> {
  const compile = (each: Rule): Test<Subject> => {
    switch (each.kind) {
      case 'call':
        return compileCall(each, predicates, variables, text)
      case 'not':
        return not(compile(each.rule))
      case 'and':
        return and(each.rules.map(compile))
      case 'or':
        return or(each.rules.map(compile))
    }
  }
  return compile(rule)
}

function compileCall<Subject>(
  call: Call,
  predicates: Predicates<Subject>,
  variables: Variables,
  rule: string,
): Test<Subject> {
  if (!Object.hasOwn(predicates, call.name)) {
    const known = Object.keys(predicates).join(', ')
    throw new RuleError(`unknown predicate "${call.name}"; there are ${known}`, rule, call.at)
  }
  const { kinds, isVariadic, compile } = predicates[call.name]
  const { arguments: given } = call
  if (isVariadic ? given.length < kinds.length : given.length !== kinds.length) {
    const wanted = `${isVariadic ? 'at least ' : ''}${kinds.length}`
    throw new RuleError(
      `${call.name} takes ${wanted} argument${kinds.length === 1 ? '' : 's'}, not ${given.length}`,
      rule,
      call.at,
    )
  }
  const last = kinds.length - 1
  return compile(given.map((argument, i) => readArgument(argument, kinds[Math.min(i, last)], variables, rule)))
}

function not<Subject>(test: Test<Subject>): Test<Subject> {
  return (subject, captures) => {
    const { mark } = captures
    const result = test(subject, captures)
    captures.backTo(mark)
    return !result
  }
}

function and<Subject>(tests: readonly Test<Subject>[]): Test<Subject> {
  // Two operands are most common, and a loop over closures would cost more.
  if (tests.length === 2) {
    const [first, second] = tests
    return (subject, captures) => first(subject, captures) && second(subject, captures)
  }
  return (subject, captures) => {
    for (const test of tests) if (!test(subject, captures)) return false
    return true
  }
}

function or<Subject>(tests: readonly Test<Subject>[]): Test<Subject> {
  return (subject, captures) => {
    const { mark } = captures
    for (const test of tests) {
      if (test(subject, captures)) return true
      captures.backTo(mark)
    }
    return false
  }
}
