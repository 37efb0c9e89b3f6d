// The excerpt of a rule around the position of an error.

export interface RuleExcerpt {
  /** Starts at 1. */
  readonly line: number
  readonly column: number
  /** The line, shortened around the position if it is long. */
  readonly text: string
  /** A caret below the position, indented with spaces. */
  readonly caret: string
}

/** The number of characters of a long line on each side of the position. */
const CONTEXT = 48

/** `position` counts UTF-16 code units, as the server does. */
export function excerptAt(rule: string, position: number): RuleExcerpt {
  const at = Math.max(0, Math.min(rule.length, position))
  const start = rule.lastIndexOf('\n', at - 1) + 1
  const next = rule.indexOf('\n', at)
  const whole = rule.slice(start, next < 0 ? undefined : next)
  const column = at - start
  const from = column > CONTEXT ? column - CONTEXT : 0
  const until = Math.min(whole.length, column + CONTEXT)
  // A tab would be wider than the space below it.
  const shown = whole.slice(from, until).replaceAll('\t', ' ')
  const before = from > 0 ? '…' : ''
  return {
    line: rule.slice(0, start).split('\n').length,
    column: column + 1,
    text: `${before}${shown}${until < whole.length ? '…' : ''}`,
    caret: `${' '.repeat(before.length + column - from)}^`,
  }
}
