// Whether a question that found nothing names an attribute that nothing has: more likely a slip of the pen than an answer.
import type { QueryEngine } from '../../../query/query-engine.ts'
import type { Query } from '../../../query/query.ts'
import type { ItemKind } from '../../../query/signals/items-where.ts'
import { parseSelector } from '../../../query/selector/parse-selector.ts'
import type { Matcher } from '../../../query/selector/selector.ts'
import { builtInKey } from '../../../query/selector/selector.ts'
import { RequestError } from '../response/failure.ts'

/** Each is looked up by itself. */
const MOST_KEYS = 8

/** Throws RequestError with the place of the attribute, where the range has profiles and none of them has it. */
export async function checkKeys(query: QueryEngine, question: Query): Promise<void> {
  const { selector: asked = '', tenant, from, to } = question
  const { matchers } = typeof asked === 'string' ? parseSelector(asked) : asked
  const keys = matchers.filter(matcher => needsKey(matcher) && builtInKey(matcher) === undefined).slice(0, MOST_KEYS)
  if (keys.length === 0) return
  const { signal, limits } = question
  const everything = { tenant, from, to, ...(signal && { signal }), ...(limits && { limits }) }
  for (const { key, level, position } of keys) {
    // The key itself is the first of those that begin with it.
    const { rows } = await query.attributeKeys(everything, { prefix: key, limit: 1 })
    const [first] = rows
    if (first?.key === key && (level === undefined || first.levels.includes(level))) continue
    if ((await query.services(everything)).length === 0) return
    throw unknown('profile', { key, level, position })
  }
}

/** Others hold where there is no such attribute. */
function needsKey(matcher: Matcher): boolean {
  return matcher.kind === 'presence' ? matcher.present : matcher.operator !== '!=' && matcher.operator !== '!~'
}

const ITEMS: Readonly<Record<ItemKind, string>> = { span: 'span', log: 'log record', point: 'data point' }

/** The same for spans, log records and data points. */
export async function checkItemKeys(query: QueryEngine, question: Query, kind: ItemKind): Promise<void> {
  const matcher = await query.unknownKey(question, kind)
  if (matcher !== undefined) throw unknown(ITEMS[kind], matcher)
}

function unknown(what: string, { key, level, position }: Pick<Matcher, 'key' | 'level' | 'position'>): RequestError {
  const name = `${level === undefined ? '' : `${level}:`}${key}`.slice(0, 120)
  const message = `no ${what} of the range has an attribute ${JSON.stringify(name)}`
  return new RequestError(422, 'unknown-attribute', message, undefined, position)
}
