// Rejects queries without results whose selector names an attribute that no item has: most likely a typing error.
import { attributeKeys, services } from '../../../query/profiles/catalog.ts'
import type { Query } from '../../../query/query.ts'
import { RunningQuery } from '../../../query/query.ts'
import { parseSelector } from '../../../query/selector/parse-selector.ts'
import type { Matcher } from '../../../query/selector/selector.ts'
import { builtInKey } from '../../../query/selector/selector.ts'
import type { SignalItemKind } from '../../../query/signals/items-where.ts'
import { unknownKey } from '../../../query/signals/items-where.ts'
import { RequestError } from '../response/request-error.ts'
import type { QueryEndpointContext } from './request-context.ts'

/** Each key takes a query of its own. */
const MAX_KEYS = 8

/** Throws RequestError with the position of the attribute, if the range has profiles and none has the attribute. */
export async function rejectUnknownKeys({ queries }: QueryEndpointContext, query: Query): Promise<void> {
  const { selector = '', tenant, from, to, signal, limits } = query
  const { matchers } = typeof selector === 'string' ? parseSelector(selector) : selector
  const keys = matchers.filter(matcher => needsKey(matcher) && builtInKey(matcher) === undefined).slice(0, MAX_KEYS)
  if (keys.length === 0) return
  const everything = { tenant, from, to, ...(signal && { signal }), ...(limits && { limits }) }
  for (const { key, level, position } of keys) {
    // The list is sorted, so the key itself comes first among the keys with this prefix.
    const { rows } = await attributeKeys(queries, everything, { prefix: key, limit: 1 })
    const [first] = rows
    if (first?.key === key && (level === undefined || first.levels.includes(level))) continue
    if ((await services(queries, everything)).length === 0) return
    throw unknownAttribute('profile', { key, level, position })
  }
}

/** Negative matchers also match items without the attribute. */
function needsKey(matcher: Matcher): boolean {
  return matcher.kind === 'presence' ? matcher.present : matcher.operator !== '!=' && matcher.operator !== '!~'
}

const ITEM_NAMES: Readonly<Record<SignalItemKind, string>> = { span: 'span', log: 'log record', point: 'data point' }

/** The same for spans, log records and data points. */
export async function rejectUnknownItemKeys(
  { queries }: QueryEndpointContext,
  query: Query,
  kind: SignalItemKind,
): Promise<void> {
  const matcher = await unknownKey(new RunningQuery(queries.engine, query), kind)
  if (matcher !== undefined) throw unknownAttribute(ITEM_NAMES[kind], matcher)
}

function unknownAttribute(
  item: string,
  { key, level, position }: Pick<Matcher, 'key' | 'level' | 'position'>,
): RequestError {
  const name = `${level === undefined ? '' : `${level}:`}${key}`.slice(0, 120)
  const message = `no ${item} in the range has the attribute ${JSON.stringify(name)}`
  return new RequestError(422, 'unknown-attribute', message, undefined, position)
}
