// Rules over events: one by itself, and many at once. Many are 50 to 1,000 routes, tried for every event, so what can be
// told from its type, method and the first two segments of its path is told by looking them up: only the rules that are
// left are tried.
import type { Event } from '../messages/event.ts'
import type { Variables } from './arguments.ts'
import { readArgument } from './arguments.ts'
import type { RuleMatch } from './captures.ts'
import { Captures } from './captures.ts'
import type { CompiledRule, Test } from './compile-rule.ts'
import { compileTest } from './compile-rule.ts'
import { EventFacts } from './event-facts.ts'
import { EVENT_PREDICATES, isTypeOf } from './event-predicates.ts'
import { parseRule } from './parse-rule.ts'
import { priorityOf } from './priority.ts'
import type { Call, ParsedRule, Rule } from './rule.ts'

/** How many segments of paths are looked up. */
const INDEXED = 2

/** What an event must be for a rule to match; undefined where the rule does not say. */
interface Needs {
  readonly type: string | undefined
  /** Upper case. */
  readonly methods: readonly string[] | undefined
  readonly segments: readonly (string | undefined)[]
}

export interface RouteRule extends CompiledRule {
  readonly test: Test<EventFacts>
  readonly needs: Needs
}

/** Throws a RuleError. */
export function compileRoute(rule: string | ParsedRule, variables: Variables = {}): RouteRule {
  const parsed = typeof rule === 'string' ? parseRule(rule) : rule
  const test = compileTest(parsed, EVENT_PREDICATES, variables)
  const captures = new Captures()
  const facts = new EventFacts()
  return {
    text: parsed.text,
    priority: priorityOf(parsed, variables),
    test,
    needs: needsOf(parsed, variables),
    match: event => {
      captures.backTo(0)
      return test(facts.turnTo(event), captures) ? captures.match() : undefined
    },
  }
}

export interface Route<T> {
  readonly rule: RouteRule
  /** What comes out when the rule matches. */
  readonly value: T
}

export interface FoundRoute<T> {
  readonly route: Route<T>
  readonly match: RuleMatch
}

/** The routes that may match, by what is looked up; made when first needed. */
class Branch<T> {
  readonly routes: readonly Route<T>[]
  readonly #next = new Map<string, Branch<T>>()

  constructor(routes: readonly Route<T>[]) {
    this.routes = routes
  }

  at(key: string): Branch<T> | undefined {
    return this.#next.get(key)
  }

  add(key: string, branch: Branch<T>): Branch<T> {
    this.#next.set(key, branch)
    return branch
  }
}

/** Types and methods are the sender's to choose: beyond so many branches all are made anew. */
const MOST_BRANCHES = 4096
const LONGEST_KEY = 256
/** For segments that no rule names. No segment has a slash. */
const OTHER = '/'

/** Routes in the order in which they are tried: the first that matches is the one. */
export class RouteRules<T> {
  readonly #routes: readonly Route<T>[]
  /** The segments that rules name, by place. */
  readonly #named: readonly ReadonlySet<string>[]
  readonly #captures = new Captures()
  readonly #facts = new EventFacts()
  #root: Branch<T>
  #branches = 0

  constructor(routes: Iterable<Route<T>>) {
    this.#routes = [...routes]
    this.#root = new Branch(this.#routes)
    this.#named = Array.from({ length: INDEXED }, (_, place) => {
      const names = this.#routes.map(({ rule }) => rule.needs.segments[place])
      return new Set(names.filter(name => name !== undefined))
    })
  }

  find(event: Event): FoundRoute<T> | undefined {
    const facts = this.#facts.turnTo(event)
    const captures = this.#captures
    for (const route of this.#candidates(facts)) {
      captures.backTo(0)
      if (route.rule.test(facts, captures)) return { route, match: captures.match() }
    }
    return undefined
  }

  #candidates(facts: EventFacts): readonly Route<T>[] {
    const { type } = facts.event
    const { method } = facts
    let branch = this.#root
    branch =
      branch.at(type) ?? this.#grow(branch, type, ({ needs }) => needs.type === undefined || isTypeOf(type, needs.type))
    if (branch.routes.length < 2) return branch.routes
    branch = branch.at(method) ?? this.#grow(branch, method, ({ needs }) => needs.methods?.includes(method) ?? true)
    if (branch.routes.length < 2) return branch.routes
    for (let place = 0; place < INDEXED; place++) {
      const segment = facts.segments.at(place)
      const key = segment !== undefined && this.#named[place].has(segment) ? segment : OTHER
      branch =
        branch.at(key) ??
        this.#grow(branch, key, ({ needs }) => needs.segments[place] === undefined || needs.segments[place] === key)
    }
    return branch.routes
  }

  #grow(from: Branch<T>, key: string, keeps: (rule: RouteRule) => boolean): Branch<T> {
    const branch = new Branch(from.routes.filter(({ rule }) => keeps(rule)))
    // Nobody names their types like that: it is made again each time, and not kept.
    if (key.length > LONGEST_KEY) return branch
    if (++this.#branches > MOST_BRANCHES) {
      this.#root = new Branch(this.#routes)
      this.#branches = 0
    }
    return from.add(key, branch)
  }
}

/** What must hold whatever else is in the rule: the calls that are joined by `&&` alone. */
function needsOf({ text, rule }: ParsedRule, variables: Variables): Needs {
  const calls = conjuncts(rule)
  const named = (name: string): Call | undefined => calls.find(call => call.name === name)
  const type = named('Type')
  const method = named('Method')
  const path = named('Path')
  const prefix = named('PathPrefix')
  const methods = method?.arguments.map(each => readArgument(each, 'anyCase', variables, text).literal)
  const pattern =
    path === undefined
      ? prefix && readArgument(prefix.arguments[0], 'pathPrefix', variables, text)
      : readArgument(path.arguments[0], 'path', variables, text)
  return {
    type: type === undefined ? undefined : readArgument(type.arguments[0], 'string', variables, text),
    methods: methods?.every(each => each !== undefined) === true ? methods.map(each => each.toUpperCase()) : undefined,
    segments: (pattern?.segments ?? []).slice(0, INDEXED).map(({ literal }) => literal),
  }
}

function conjuncts(rule: Rule): Call[] {
  if (rule.kind === 'call') return [rule]
  return rule.kind === 'and' ? rule.rules.flatMap(conjuncts) : []
}
