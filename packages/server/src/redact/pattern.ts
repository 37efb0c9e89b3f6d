// The patterns of redaction rules. Threads that redact load this file without the parser of the rules.
import { RE2JS, RE2JSException } from 're2js'

export class RedactionRuleError extends Error {
  override readonly name = 'RedactionRuleError'
}

/** The size limit of a compiled pattern. A step takes about 13 ns, and there are at most characters × instructions steps. */
const MAX_INSTRUCTIONS = 500

/** Compiles an expression whose time is linear (RE2). Throws RedactionRuleError. */
export function compilePattern(rule: string, pattern: string): RE2JS {
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(pattern)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new RedactionRuleError(`${rule}: the pattern '${pattern}' is invalid: ${firstLine(error)}`, { cause: error })
  }
  if (compiled.programSize() > MAX_INSTRUCTIONS)
    throw new RedactionRuleError(`${rule}: the pattern '${pattern}' is too large`)
  if (compiled.matcher('').find())
    throw new RedactionRuleError(`${rule}: the pattern '${pattern}' matches the empty text`)
  return compiled
}

export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]
}
