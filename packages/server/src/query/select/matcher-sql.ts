// Matchers and stack predicates as conditions in SQL. The engine runs regular expressions with RE2, whose time is
// linear in the text. Node never runs them.
import { ValueKind } from '@hearth/profile'
import { EngineError } from '../../store/engine.ts'
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import type { Field, Matcher, Selector, StackPredicate, ValueMatcher } from '../selector/selector.ts'
import type { Values } from '../statement.ts'
import type { AttributeColumnNames } from './attribute-columns.ts'

/** The attribute for the kind of a location's frame. */
const FRAME_TYPE = 'profile.frame.type'

/** Whether the matcher holds exactly where its condition does not. */
export function isNegative(matcher: Matcher): boolean {
  if (matcher.kind === 'presence') return !matcher.present
  return matcher.operator === '!=' || matcher.operator === '!~'
}

/** Anchored, as in PromQL. A dot matches any character. */
export function anchored(regex: string): string {
  return `^(?s:${regex})$`
}

function matches(values: Values, text: string, regex: string): string {
  return `match(${text}, ${values.text(anchored(regex))})`
}

/** The positive form: whether a row has a matching attribute. */
export function attributeCondition(values: Values, matcher: Matcher, columns: AttributeColumnNames): string {
  if (matcher.otherKeys !== undefined && matcher.otherKeys.length > 0) {
    const { otherKeys, ...one } = matcher
    const each = [matcher.key, ...otherKeys].map(name => attributeCondition(values, { ...one, key: name }, columns))
    return `(${each.join(' OR ')})`
  }
  const key = values.text(matcher.key)
  if (matcher.kind === 'presence') return `has(${columns.keys}, ${key})`
  const fits = valueCondition(values, matcher)
  // The first condition is for speed: most rows do not have the key, and short lists are fast to search.
  return (
    `(has(${columns.keys}, ${key}) AND arrayExists((k, kind, value) -> k = ${key} AND ${fits}, ` +
    `${columns.keys}, ${columns.kinds}, ${columns.values}))`
  )
}

/** Kinds of values with a text form: not bytes, lists and maps. */
export const SINGLE_KINDS = [ValueKind.string, ValueKind.bool, ValueKind.int, ValueKind.double].join(', ')

function valueCondition(values: Values, { operator, value, inverted = false }: ValueMatcher): string {
  if (typeof value === 'string') {
    const fits =
      operator === '=~' || operator === '!~' ? matches(values, 'value', value) : `value = ${values.text(value)}`
    return `kind IN (${SINGLE_KINDS}) AND ${inverted ? `NOT (${fits})` : fits}`
  }
  if (typeof value === 'boolean') return `kind = ${ValueKind.bool} AND value = '${value}'`
  const sign = operator === '!=' ? '=' : operator
  // The engine compares integers and doubles exactly, also above 2^53.
  const number = typeof value === 'bigint' ? values.add('Int64', value) : values.add('Float64', value)
  return (
    `((kind = ${ValueKind.int} AND ifNull(toInt64OrNull(value) ${sign} ${number}, 0)) OR ` +
    `(kind = ${ValueKind.double} AND ifNull(toFloat64OrNull(value) ${sign} ${number}, 0)))`
  )
}

/** The positive form for a text column, in which an empty text means no value. */
export function textCondition(values: Values, matcher: Matcher, column: string): string {
  if (matcher.kind === 'presence') return `${column} != ''`
  const text = String(matcher.value)
  const isRegex = matcher.operator === '=~' || matcher.operator === '!~'
  const fits = isRegex ? matches(values, column, text) : `${column} = ${values.text(text)}`
  return `(${column} != '' AND ${fits})`
}

/** A condition on `stack`, a stack id. `unnamed` are further locations that match; see unnamed-frames.ts. Stacks without frames match only negated predicates. */
export function stackCondition(
  values: Values,
  tenant: string,
  predicate: StackPredicate,
  unnamed: readonly bigint[] = [],
): string {
  const frames = predicate.place === 'frame' ? 'locations' : `[locations[${predicate.place === 'from' ? -1 : 1}]]`
  const locations = locationsWith(values, tenant, predicate)
  const stacks =
    `SELECT id FROM stacks WHERE tenant = ${tenant} AND notEmpty(locations) AND ` +
    `arrayExists(l -> l GLOBAL IN (${locations})${unnamed.length === 0 ? '' : ` OR l IN ${values.ids(unnamed)}`}, ${frames})`
  return `stack ${predicate.negated ? 'GLOBAL NOT IN' : 'GLOBAL IN'} (${stacks})`
}

/** The first of several lines of a location is the innermost call, the last one the outermost. */
function locationsWith(values: Values, tenant: string, predicate: StackPredicate): string {
  const { field, place } = predicate
  const all = `SELECT id FROM locations WHERE tenant = ${tenant} AND`
  if (field === 'mapping') {
    const fits = fieldCondition(values, predicate, 'filename')
    return `${all} mapping GLOBAL IN (SELECT id FROM mappings WHERE tenant = ${tenant} AND ${fits})`
  }
  if (field === 'type') {
    const fits = fieldCondition(values, predicate, 'value')
    const exists = `arrayExists((k, value) -> k = '${FRAME_TYPE}' AND ${fits}, keys, values)`
    return `${all} attributes GLOBAL IN (SELECT id FROM attribute_sets WHERE tenant = ${tenant} AND ${exists})`
  }
  const fits = fieldCondition(values, predicate, FUNCTION_COLUMNS[field])
  const inFile = predicate.file === undefined ? '' : ` AND filename = ${values.text(predicate.file)}`
  const functions = `SELECT id FROM functions WHERE tenant = ${tenant} AND ${fits}${inFile}`
  const lines = place === 'frame' ? 'line_functions' : `[line_functions[${place === 'from' ? -1 : 1}]]`
  return `${all} arrayExists(f -> f GLOBAL IN (${functions}), ${lines})`
}

const FUNCTION_COLUMNS: Readonly<Record<Exclude<Field, 'mapping' | 'type'>, string>> = {
  // The name of a frame; see model/text/frame-name.ts.
  name: "if(name = '', system_name, name)",
  file: 'filename',
  system_name: 'system_name',
}

/** A missing value matches nothing, not even an empty text. */
function fieldCondition(values: Values, { regex, value }: StackPredicate, column: string): string {
  return `(${column} != '' AND ${regex ? matches(values, column, value) : `${column} = ${values.text(value)}`})`
}

interface PlacedRegex {
  readonly regex: string
  readonly position: number
}

function regexesOf({ matchers, predicates }: Selector): PlacedRegex[] {
  const found: PlacedRegex[] = []
  for (const matcher of matchers) {
    if (matcher.kind !== 'value' || (matcher.operator !== '=~' && matcher.operator !== '!~')) continue
    found.push({ regex: String(matcher.value), position: matcher.valuePosition })
  }
  for (const { regex, value, valuePosition } of predicates) {
    if (regex) found.push({ regex: value, position: valuePosition })
  }
  return found
}

const BAD_ARGUMENTS = 36

/** Throws QueryError with the position of the first invalid regular expression. */
export async function checkRegexes(running: RunningQuery): Promise<void> {
  for (const { regex, position } of regexesOf(running.selector)) await checkRegex(running, regex, position)
}

/**
 * Compiles a regular expression in the engine without anchors, because anchors could complete an unbalanced bracket.
 * `match` is not used: it accepts an unbalanced bracket if it finds a faster way.
 */
export async function checkRegex(running: RunningQuery, regex: string, position?: number): Promise<void> {
  if (VALID_REGEXES.has(regex)) return
  try {
    await running.select("SELECT replaceRegexpOne('', {regex:String}, '')", { regex })
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== BAD_ARGUMENTS) throw error
    const reason = /valid re2 pattern: ([^:]*)/.exec(error.message)?.[1] ?? 'it does not compile'
    throw new QueryError('regex', `invalid regular expression: ${reason}`, position, { cause: error })
  }
  if (VALID_REGEXES.size >= MAX_VALID_REGEXES) VALID_REGEXES.clear()
  VALID_REGEXES.add(regex)
}

/** Regular expressions that compiled before. */
const VALID_REGEXES = new Set<string>()
const MAX_VALID_REGEXES = 1000
