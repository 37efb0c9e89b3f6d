// The attributes of a resource, a scope or an attribute set in memory, and the matchers that hold for them. A matcher holds as
// in the engine (select/matcher-sql.ts). The engine evaluates regular expressions; their results are kept.
import { ValueKind } from '@hearth/profile'
import { SERVICE_KEYS } from '../../store/containers.ts'
import type { Block } from '../../store/native/block.ts'
import type { AttributeColumnNames } from '../select/attribute-columns.ts'
import type { Matcher, ValueMatcher } from '../selector/selector.ts'

export interface HeldAttributes {
  readonly keys: readonly string[]
  readonly kinds: readonly number[]
  readonly values: readonly Uint8Array[]
}

export interface HeldScope extends HeldAttributes {
  readonly name: string
  readonly version: string
}

export const NO_ATTRIBUTES: HeldAttributes = { keys: [], kinds: [], values: [] }

/** Copies the attributes, so that no block is kept alive. */
export function attributesAt(block: Block, row: number, columns: AttributeColumnNames): HeldAttributes {
  const [keys, kinds, values] = [columns.keys, columns.kinds, columns.values].map(name => block.column(name))
  const [from, to] = [keys.from(row), keys.to(row)]
  const [kindsFrom, valuesFrom] = [kinds.from(row), values.from(row)]
  const list = <Value>(of: (k: number) => Value): Value[] => Array.from({ length: to - from }, (_, k) => of(k))
  return {
    keys: list(k => keys.values.text(from + k)),
    kinds: list(k => kinds.values.number(kindsFrom + k)),
    values: list(k => values.values.bytes(valuesFrom + k).slice()),
  }
}

/** Adds a service.name to the attributes of a resource that has none: the name of its executable. */
export function withService(attributes: HeldAttributes): HeldAttributes {
  const [service, standIn] = SERVICE_KEYS
  const { keys, kinds, values } = attributes
  const at = keys.indexOf(standIn)
  if (at < 0 || keys.includes(service)) return attributes
  return { keys: [...keys, service], kinds: [...kinds, kinds[at]], values: [...values, values[at]] }
}

/** Whether a value matches a regular expression of the query. The value is a text with a character per byte. */
export type RegexResult = (regex: string, bytes: string) => boolean

/** Kinds of values with a text form. */
export const SINGLE_VALUES: ReadonlySet<number> = new Set([
  ValueKind.string,
  ValueKind.bool,
  ValueKind.int,
  ValueKind.double,
])

/** The positive form, as `attributeCondition`: whether the attributes have a matching one. */
export function holdsFor({ keys, kinds, values }: HeldAttributes, matcher: Matcher, regex: RegexResult): boolean {
  for (let k = 0; k < keys.length; k++) {
    if (keys[k] !== matcher.key && matcher.otherKeys?.includes(keys[k]) !== true) continue
    if (matcher.kind === 'presence' || valueHolds(matcher, kinds[k], values[k], regex)) return true
  }
  return false
}

function valueHolds(matcher: ValueMatcher, kind: number, bytes: Uint8Array, regex: RegexResult): boolean {
  const { operator, value, inverted = false } = matcher
  if (typeof value === 'string') {
    if (!SINGLE_VALUES.has(kind)) return false
    const fits = isRegex(matcher) ? regex(value, byteText(bytes)) : Buffer.from(value).equals(bytes)
    return fits !== inverted
  }
  const text = textOf(bytes)
  if (typeof value === 'boolean') return kind === ValueKind.bool && text === String(value)
  if (kind === ValueKind.int) return compares(BigInt(text), operator, value)
  return kind === ValueKind.double && compares(Number(text), operator, value)
}

/** Compares exactly, also above 2^53. */
function compares(a: bigint | number, operator: ValueMatcher['operator'], b: bigint | number): boolean {
  switch (operator) {
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
    case '=':
    case '!=':
    case '=~':
    case '!~':
      // Strict equality is false for a bigint and an equal number.
      return a >= b && !(a > b)
  }
}

/** As `textCondition`, for the name and version of a scope. */
export function holdsForText(text: string, matcher: Matcher, regex: RegexResult): boolean {
  if (text === '' || matcher.kind === 'presence') return text !== ''
  const value = String(matcher.value)
  return isRegex(matcher) ? regex(value, byteText(Buffer.from(text))) : text === value
}

export function isRegex(matcher: Matcher): matcher is ValueMatcher & { readonly value: string } {
  return matcher.kind === 'value' && (matcher.operator === '=~' || matcher.operator === '!~')
}

/** The text of the key's value. Empty without one. */
export function textOfKey(attributes: HeldAttributes | undefined, key: string): string {
  const at = attributes?.keys.indexOf(key) ?? -1
  return attributes === undefined || at < 0 ? '' : textOf(attributes.values[at])
}

export function byteText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
}
