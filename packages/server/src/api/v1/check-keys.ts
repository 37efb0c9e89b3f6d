// Whether a question that found nothing names an attribute that nothing has: more likely a slip of the pen than an answer.
import type { QueryEngine } from '../../query/query-engine.ts'
import type { Question } from '../../query/question.ts'
import { parseSelector } from '../../query/selector/parse-selector.ts'
import type { Matcher } from '../../query/selector/selector.ts'
import { builtInKey } from '../../query/selector/selector.ts'
import { RequestError } from './failure.ts'

/** Each is looked up by itself. */
const MOST_KEYS = 8

/** Throws RequestError with the place of the attribute, where the range has profiles and none of them has it. */
export async function checkKeys(query: QueryEngine, question: Question): Promise<void> {
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
    const name = `${level === undefined ? '' : `${level}:`}${key}`.slice(0, 120)
    const message = `no profile of the range has an attribute ${JSON.stringify(name)}`
    throw new RequestError(422, 'unknown-attribute', message, undefined, position)
  }
}

/** Others hold where there is no such attribute. */
function needsKey(matcher: Matcher): boolean {
  return matcher.kind === 'presence' ? matcher.present : matcher.operator !== '!=' && matcher.operator !== '!~'
}
