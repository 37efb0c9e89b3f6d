// Conditions for the spans, log records or data points of a query. Matchers look at the attributes of the resource, the
// scope and the item.
import { ValueKind } from '@hearth/profile'
import { attributeCondition, checkRegexes, isNegative, textCondition } from '../select/matcher-sql.ts'
import { CONTAINER_ATTRIBUTES, resourceAttributes } from '../select/attribute-columns.ts'
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import { bytesOfHex } from '../../store/hex.ts'
import type { Matcher } from '../selector/selector.ts'
import { MAX_MATCHERS, builtInKey } from '../selector/selector.ts'
import { Values } from '../statement.ts'

export type SignalItemKind = 'span' | 'log' | 'point'

const PLURALS: Readonly<Record<SignalItemKind, string>> = { span: 'spans', log: 'log records', point: 'data points' }

/** Attributes in which a log record refers to a profile, as hex or bytes. */
export const PROFILE_ID_KEYS = ['profile_id', 'profile.id'] as const

/** Rejects selectors for profiles, and invalid regular expressions. To be called before `itemsWhere`. */
export async function checkItemSelector(running: RunningQuery, kind: SignalItemKind): Promise<void> {
  const { profileType, matchers, predicates } = running.selector
  const items = PLURALS[kind]
  if (profileType !== undefined) {
    throw new QueryError('argument', `${items} have no profile type; use only {…}`, profileType.position)
  }
  if (predicates.length > 0)
    throw new QueryError('argument', `${items} have no stacks; remove the stack predicates`, predicates[0].position)
  if (matchers.length > MAX_MATCHERS) throw new QueryError('argument', `more than ${MAX_MATCHERS} matchers; use fewer`)
  for (const matcher of matchers) {
    if (matcher.level === 'profile' || matcher.level === 'sample') {
      throw new QueryError('argument', `${items} have no ${matcher.level} attributes`, matcher.position)
    }
    const key = builtInKey(matcher)
    const isOfOthers = key === 'profile.id' ? kind !== 'log' : key === 'trace.id' || key === 'span.id'
    if (isOfOthers && (key === 'profile.id' || kind === 'point')) {
      throw new QueryError('argument', `${items} have no ${key ?? ''}`, matcher.position)
    }
  }
  await checkRegexes(running)
}

/** Conditions on columns of `spans`, `logs` or `metric_points`. `from` replaces the start of the query's range. */
export function itemsWhere(running: RunningQuery, values: Values, service?: string, from = running.from): string {
  const tenant = values.text(running.tenant)
  return [
    `tenant = ${tenant}`,
    ...(service === undefined ? [] : [`service = ${values.text(service)}`]),
    `time >= ${values.time(from)}`,
    `time < ${values.time(running.to)}`,
    ...running.receivedWhere(values),
    ...running.selector.matchers.map(matcher => matcherCondition(values, tenant, matcher)),
  ].join(' AND ')
}

function matcherCondition(values: Values, tenant: string, matcher: Matcher): string {
  const held = heldCondition(values, tenant, matcher)
  return isNegative(matcher) ? `NOT ${held}` : held
}

function heldCondition(values: Values, tenant: string, matcher: Matcher): string {
  const key = builtInKey(matcher)
  if (key === 'trace.id') return idCondition(values, matcher, 'trace_id', 16)
  if (key === 'span.id') return idCondition(values, matcher, 'span_id', 8)
  if (key === 'profile.id') return profileIdCondition(values, matcher.kind === 'value' ? String(matcher.value) : '')
  const scopes = (condition: string) =>
    `scope GLOBAL IN (SELECT id FROM scopes WHERE tenant = ${tenant} AND ${condition})`
  if (key !== undefined) return scopes(textCondition(values, matcher, key === 'scope.name' ? 'name' : 'version'))
  const { level } = matcher
  const either: string[] = []
  if (level === undefined) either.push(attributeCondition(values, matcher, CONTAINER_ATTRIBUTES))
  if (level !== 'scope') {
    const fits = attributeCondition(values, matcher, resourceAttributes(matcher))
    either.push(`resource GLOBAL IN (SELECT id FROM resources WHERE tenant = ${tenant} AND ${fits})`)
  }
  if (level !== 'resource') either.push(scopes(attributeCondition(values, matcher, CONTAINER_ATTRIBUTES)))
  return `(${either.join(' OR ')})`
}

function idCondition(values: Values, matcher: Matcher, column: string, bytes: number): string {
  const type = `FixedString(${bytes})`
  if (matcher.kind === 'presence') return `${column} != ${values.add(type, new Uint8Array(bytes))}`
  return `${column} = ${values.add(type, bytesOfHex(String(matcher.value)))}`
}

/** `hex` is lower-case digits, or any other text. */
export function profileIdCondition(values: Values, hex: string): string {
  const keys = values.add('Array(String)', PROFILE_ID_KEYS)
  return (
    `arrayExists((k, kind, value) -> has(${keys}, k) AND lower(if(kind = ${ValueKind.bytes}, hex(value), value)) = ` +
    `${values.text(hex.toLowerCase())}, attribute_keys, attribute_kinds, attribute_values)`
  )
}

export const TABLES: Readonly<Record<SignalItemKind, string>> = { span: 'spans', log: 'logs', point: 'metric_points' }

/**
 * The first matcher that requires an attribute which nothing in the range has, because it is likely a typing error.
 * Undefined if there is none, or if the range is empty.
 */
export async function unknownKey(running: RunningQuery, kind: SignalItemKind): Promise<Matcher | undefined> {
  const named = running.selector.matchers.filter(
    matcher =>
      !isNegative(matcher) &&
      (matcher.kind !== 'value' || matcher.inverted !== true) &&
      builtInKey(matcher) === undefined,
  )
  if (named.length === 0) return undefined
  const values = new Values()
  const tenant = values.text(running.tenant)
  const counts = named.map(({ level, key, position }, k) => {
    const has = { kind: 'presence', present: true, level, key, position } as const
    return `countIf(${heldCondition(values, tenant, has)}) AS k${k}`
  })
  const block = await running.select(
    `SELECT ${counts.join(', ')}, count() AS items FROM ${TABLES[kind]} WHERE tenant = ${tenant} AND ` +
      `time >= ${values.time(running.from)} AND time < ${values.time(running.to)}`,
    values.all,
  )
  if (block.rows === 0 || block.column('items').bigint(0) === 0n) return undefined
  return named.find((_, k) => block.column(`k${k}`).bigint(0) === 0n)
}
