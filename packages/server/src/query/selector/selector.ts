// The meaning of a selector: profiles by type and attributes, and then stacks by their frames.
//
//   cpu:nanoseconds{service.name="checkout", region=~"eu.*", http.status>=500, thread.id, !debug} | frame "gc"
//
// A matcher without a level looks at the attributes of the resource, the scope, the profile and the sample, and holds
// if any of them matches. `!=`, `!~` and `!key` hold exactly where `=`, `=~` and `key` do not, so also if the attribute
// is absent.

export interface Selector {
  readonly profileType: ProfileType | undefined
  readonly matchers: readonly Matcher[]
  readonly predicates: readonly StackPredicate[]
}

/** `cpu`, `cpu:nanoseconds`, or the five parts `process_cpu:cpu:nanoseconds:cpu:nanoseconds`. */
export interface ProfileType {
  /** The first of five parts: the name in another system. It adds nothing to the other parts and is not matched. */
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
  /** Undefined means any level. */
  readonly level: Level | undefined
  readonly key: string
  /** Other keys that count as this one, if another system has one name for several. The text form cannot express it. */
  readonly otherKeys?: readonly string[]
  readonly position: number
}

/**
 * A text or regular expression is compared with the text of any scalar value (string, bool, int, double). A number is
 * compared with ints and doubles, true and false with bools.
 */
export interface ValueMatcher extends AnyMatcher {
  readonly kind: 'value'
  readonly operator: Operator
  /** bigint: within 64 bits. number: finite. */
  readonly value: Literal
  readonly valuePosition: number
  /**
   * Looks for values that do not match: `=` holds if one value differs, `!=` if none does or the attribute is absent.
   * Only for texts and regular expressions. The text form cannot express it.
   */
  readonly inverted?: boolean
}

interface PresenceMatcher extends AnyMatcher {
  readonly kind: 'presence'
  readonly present: boolean
}

/** frame: anywhere in the stack. from: the outermost frame. leaf: the innermost frame. */
export const STACK_POSITIONS = ['frame', 'from', 'leaf'] as const
export type StackPosition = (typeof STACK_POSITIONS)[number]

export const FIELDS = ['name', 'file', 'mapping', 'type', 'system_name'] as const
export type Field = (typeof FIELDS)[number]

export interface StackPredicate {
  readonly negated: boolean
  readonly place: StackPosition
  readonly field: Field
  /** Whether the value is a regular expression. */
  readonly regex: boolean
  readonly value: string
  /** The file of the same frame; any if it is missing. Only with the field `name`. */
  readonly file?: string
  readonly position: number
  readonly valuePosition: number
}

/** Keys that are not attributes. */
export const BUILT_IN_KEYS = ['scope.name', 'scope.version', 'trace.id', 'span.id', 'profile.id'] as const
export type BuiltInKey = (typeof BUILT_IN_KEYS)[number]

/** Undefined for attributes, and for a key with a level: `resource:trace.id` is an attribute. */
export function builtInKey({ level, key }: Pick<Matcher, 'level' | 'key'>): BuiltInKey | undefined {
  return level === undefined ? BUILT_IN_KEYS.find(name => name === key) : undefined
}

/** Limits of the parser. Each matcher is a bit of a 32-bit number when it is resolved. */
export const MAX_SELECTOR_LENGTH = 16_384
export const MAX_MATCHERS = 30
export const MAX_PREDICATES = 16

export const EMPTY_SELECTOR: Selector = { profileType: undefined, matchers: [], predicates: [] }
