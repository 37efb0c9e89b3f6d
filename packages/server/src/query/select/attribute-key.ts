// The name of an attribute in a query, with its level: `region`, `resource:region`.
import { QueryError } from '../query-error.ts'
import { parseSelector } from '../selector/parse-selector.ts'
import { printKey } from '../selector/print-key.ts'
import type { BuiltInKey, Level } from '../selector/selector.ts'
import { builtInKey } from '../selector/selector.ts'

export interface AttributeKey {
  /** The spelling in selectors. */
  readonly name: string
  /** Undefined means any level, with the level nearest to the sample first. */
  readonly level: Level | undefined
  readonly key: string
  readonly builtIn: BuiltInKey | undefined
}

/** Parses the spelling of a matcher. Any other text is a key without a level: `my key` need not be quoted here. */
export function attributeKey(text: string): AttributeKey {
  if (text === '') throw new QueryError('argument', 'the name of an attribute is empty')
  let key: { readonly level: Level | undefined; readonly key: string } = { level: undefined, key: text }
  try {
    const { matchers } = parseSelector(`{${text}}`)
    if (matchers.length === 1 && matchers[0].kind === 'presence' && matchers[0].present) key = matchers[0]
  } catch {
    // The text is not in the syntax of selectors.
  }
  const { level, key: name } = key
  const builtIn = builtInKey(key)
  if (builtIn === 'trace.id' || builtIn === 'span.id' || builtIn === 'profile.id') {
    throw new QueryError('argument', `${builtIn} is not an attribute; each profile or span has a different value`)
  }
  return { name: printKey(key), level, key: name, builtIn }
}

export function looksAt({ level, builtIn }: AttributeKey, at: Level): boolean {
  if (builtIn !== undefined) return at === 'scope' && (builtIn === 'scope.name' || builtIn === 'scope.version')
  return level === undefined || level === at
}
