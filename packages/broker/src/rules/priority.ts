// The priority of matching rules: the longest wins, because it is the most specific. Variables count with their values and
// patterns as `{}`, so that a long regular expression has no advantage. An explicit priority of a route replaces the length.
import type { Variables } from './arguments.ts'
import { shownValue } from './arguments.ts'
import { closeOf } from './braces.ts'
import type { ParsedRule } from './rule.ts'

const VARIABLE = /\{\{\s*\.\w+\.([\w-]+)\s*\}\}/g

export function priorityOf({ text }: ParsedRule, variables: Variables): number {
  const resolved = text.replace(VARIABLE, (_whole, name: string) => shownValue(variables, name))
  return withoutPatterns(resolved.trim().replace(/\s+/g, ' ')).length
}

function withoutPatterns(text: string): string {
  let result = ''
  for (let i = 0; i < text.length; i++) {
    const close = text[i] === '{' ? closeOf(text, i) : -1
    if (close >= 0) {
      result += '{}'
      i = close - 1
    } else {
      result += text[i]
      // An escaped brace does not start a pattern.
      if (text[i] === '\\' && i + 1 < text.length) result += text[++i]
    }
  }
  return result
}
