// What a selector's text means: profiles by type and attributes, and then stacks by their frames.
//
//   cpu:nanoseconds{service.name="checkout", region=~"eu.*", http.status>=500, thread.id, !debug} | frame "gc"
//
// A matcher without a level looks at the attributes of the resource, the scope, the profile and the sample: it holds where
// any of them has a fitting one. `!=`, `!~` and `!key` hold exactly where `=`, `=~` and `key` do not, so also where there is
// no such attribute.

export interface Selector {
  readonly profileType: ProfileType | undefined
  readonly matchers: readonly Matcher[]
  readonly predicates: readonly StackPredicate[]
}

/** `cpu`, `cpu:nanoseconds`, or the five parts `process_cpu:cpu:nanoseconds:cpu:nanoseconds`. */
export interface ProfileType {
  /** The first of five parts: how another system calls it. It says nothing that the other parts do not, and is not matched. */
  readonly name: string | undefined
  readonly type: string
  readonly unit: string | undefined
  readonly periodType: string | undefined
  readonly periodUnit: string | undefined
  readonly position: number
}

export const LEVELS = ['resource', 'scope', 'profile', 'sample'] as const
export type Level = (typeof LEVELS)[number]

export const OPERATORS = ['=', '!=', '=~', '!~', '<', '<=', '>', '>='] as const
export type Operator = (typeof OPERATORS)[number]

export type Literal = string | bigint | number | boolean

export type Matcher = ValueMatcher | PresenceMatcher

interface AnyMatcher {
  /** Undefined: on any level. */
  readonly level: Level | undefined
  readonly key: string
  /** Other keys that count as this one, where another system knows several by one name. No text says it. */
  readonly otherKeys?: readonly string[]
  readonly position: number
}

/**
 * A text and a regular expression are compared with the text of any single value (string, bool, int, double), a number with
 * ints and doubles, and true and false with bools.
 */
export interface ValueMatcher extends AnyMatcher {
  readonly kind: 'value'
  readonly operator: Operator
  /** bigint: within 64 bits. number: finite. */
  readonly value: Literal
  readonly valuePosition: number
  /**
   * Looks for values that do not compare: `=` holds where one differs, `!=` where none does, so also where there is no such
   * attribute. Only for texts and regular expressions; no text says it.
   */
  readonly inverted?: boolean
}

export interface PresenceMatcher extends AnyMatcher {
  readonly kind: 'presence'
  readonly present: boolean
}

/** frame: anywhere in the stack. from: the outermost. leaf: the innermost. */
export const PLACES = ['frame', 'from', 'leaf'] as const
export type Place = (typeof PLACES)[number]

export const FIELDS = ['name', 'file', 'mapping', 'type', 'system_name'] as const
export type Field = (typeof FIELDS)[number]

export interface StackPredicate {
  readonly negated: boolean
  readonly place: Place
  readonly field: Field
  /** A regular expression, not a text. */
  readonly regex: boolean
  readonly value: string
  readonly position: number
  readonly valuePosition: number
}

/** Keys that are no attributes. */
export const BUILT_IN_KEYS = ['scope.name', 'scope.version', 'trace.id', 'span.id', 'profile.id'] as const
export type BuiltInKey = (typeof BUILT_IN_KEYS)[number]

/** Undefined for attributes, and for a key with a level: `resource:trace.id` is one. */
export function builtInKey({ level, key }: Pick<Matcher, 'level' | 'key'>): BuiltInKey | undefined {
  return level === undefined ? BUILT_IN_KEYS.find(name => name === key) : undefined
}

/** Limits of what is read. Each matcher is a bit of a 32-bit number where it is resolved. */
export const MAX_SELECTOR_LENGTH = 16_384
export const MAX_MATCHERS = 30
export const MAX_PREDICATES = 16

export const EMPTY_SELECTOR: Selector = { profileType: undefined, matchers: [], predicates: [] }
