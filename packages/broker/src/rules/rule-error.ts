// What is wrong with a rule, and where. The message shows the place:
//
//   expected ")", found the end of the rule
//     Path(`/cpu`
//                ^

/** How much of a long rule is shown on either side of the place. */
const SHOWN = 60

export class RuleError extends Error {
  override readonly name = 'RuleError'
  /** What is wrong, without the place. */
  readonly what: string
  readonly rule: string
  /** In UTF-16 units from the start of the rule. */
  readonly offset: number

  constructor(what: string, rule: string, offset: number) {
    super(`${what}\n${pointAt(rule, offset)}`)
    this.what = what
    this.rule = rule
    this.offset = offset
  }
}

function pointAt(rule: string, offset: number): string {
  // Rules may be written over several lines; each white space stays one column.
  const line = rule.replace(/\s/g, ' ')
  const from = offset > SHOWN ? offset - SHOWN : 0
  const to = Math.min(line.length, offset + SHOWN)
  const before = `${from > 0 ? '…' : ''}${line.slice(from, offset)}`
  const after = `${line.slice(offset, to)}${to < line.length ? '…' : ''}`
  return `  ${before}${after}\n  ${' '.repeat(before.length)}^`
}
