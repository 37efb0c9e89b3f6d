// A problem of a rule. The message shows the position:
//
//   expected ")", found the end of the rule
//     Path(`/cpu`
//                ^

/** The number of characters of a long rule shown on each side of the position. */
const SHOWN = 60

export class RuleError extends Error {
  override readonly name = 'RuleError'
  /** The problem without the position. */
  readonly what: string
  readonly rule: string
  /** The position in UTF-16 units from the start of the rule. */
  readonly offset: number

  constructor(what: string, rule: string, offset: number) {
    super(`${what}\n${pointAt(rule, offset)}`)
    this.what = what
    this.rule = rule
    this.offset = offset
  }
}

function pointAt(rule: string, offset: number): string {
  // Rules may span several lines. Each white space character stays one column.
  const line = rule.replace(/\s/g, ' ')
  const from = offset > SHOWN ? offset - SHOWN : 0
  const to = Math.min(line.length, offset + SHOWN)
  const before = `${from > 0 ? '…' : ''}${line.slice(from, offset)}`
  const after = `${line.slice(offset, to)}${to < line.length ? '…' : ''}`
  return `  ${before}${after}\n  ${' '.repeat(before.length)}^`
}
