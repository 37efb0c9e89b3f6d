// Matches events against one rule or many. Components register 50 to 1,000 routes, and every event is matched against all. An
// index over the type, the method and the first two segments of the path finds the candidates. Only these are
// evaluated.
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

/** The number of path segments in the index. */
const INDEXED_SEGMENTS = 2

/** The values that an event must have to match a rule; undefined for any value. */
interface Needs {
  readonly type: string | undefined
  /** In upper case. */
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
  /** The result of a match. */
  readonly value: T
}

export interface FoundRoute<T> {
  readonly route: Route<T>
  readonly match: RuleMatch
}

/** The candidate routes for one key of the index, created on first use. */
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

/** Senders choose types and methods freely. The index is cleared when it exceeds this number of branches. */
const MAX_BRANCHES = 4096
const MAX_KEY_LENGTH = 256
/** The key for segments that no rule names. A segment never contains a slash. */
const OTHER_SEGMENT = '/'

/** Routes in order of priority. The first match wins. */
export class RouteRules<T> {
  readonly #routes: readonly Route<T>[]
  /** The segments that rules name, by position. */
  readonly #named: readonly ReadonlySet<string>[]
  readonly #captures = new Captures()
  readonly #facts = new EventFacts()
  #root: Branch<T>
  #branches = 0

  constructor(routes: Iterable<Route<T>>) {
    this.#routes = [...routes]
    this.#root = new Branch(this.#routes)
    this.#named = Array.from({ length: INDEXED_SEGMENTS }, (_, place) => {
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
    for (let place = 0; place < INDEXED_SEGMENTS; place++) {
      const segment = facts.segments.at(place)
      const key = segment !== undefined && this.#named[place].has(segment) ? segment : OTHER_SEGMENT
      branch =
        branch.at(key) ??
        this.#grow(branch, key, ({ needs }) => needs.segments[place] === undefined || needs.segments[place] === key)
    }
    return branch.routes
  }

  #grow(from: Branch<T>, key: string, keeps: (rule: RouteRule) => boolean): Branch<T> {
    const branch = new Branch(from.routes.filter(({ rule }) => keeps(rule)))
    // Such a long key is not cached.
    if (key.length > MAX_KEY_LENGTH) return branch
    if (++this.#branches > MAX_BRANCHES) {
      this.#root = new Branch(this.#routes)
      this.#branches = 0
    }
    return from.add(key, branch)
  }
}

/** The necessary conditions of a rule: the calls that are joined only by `&&`. */
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
    segments: (pattern?.segments ?? []).slice(0, INDEXED_SEGMENTS).map(({ literal }) => literal),
  }
}

function conjuncts(rule: Rule): Call[] {
  if (rule.kind === 'call') return [rule]
  return rule.kind === 'and' ? rule.rules.flatMap(conjuncts) : []
}
