// Where a rule is wrong: the line of it, and how far in the place is.

export interface RulePlace {
  /** From 1. */
  readonly line: number
  readonly column: number
  /** The line, or what is around the place where it is long. */
  readonly text: string
  /** As many spaces as there are characters before the place, and a mark. */
  readonly caret: string
}

/** How much of a long line is shown on either side. */
const SHOWN = 48

/** `position` counts UTF-16 units, as the server does. */
export function placeIn(rule: string, position: number): RulePlace {
  const at = Math.max(0, Math.min(rule.length, position))
  const start = rule.lastIndexOf('\n', at - 1) + 1
  const next = rule.indexOf('\n', at)
  const whole = rule.slice(start, next < 0 ? undefined : next)
  const column = at - start
  const from = column > SHOWN ? column - SHOWN : 0
  const until = Math.min(whole.length, column + SHOWN)
  // Tabs would be wider than the space below them.
  const shown = whole.slice(from, until).replaceAll('\t', ' ')
  const before = from > 0 ? '…' : ''
  return {
    line: rule.slice(0, start).split('\n').length,
    column: column + 1,
    text: `${before}${shown}${until < whole.length ? '…' : ''}`,
    caret: `${' '.repeat(before.length + column - from)}^`,
  }
}
