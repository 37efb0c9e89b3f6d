// The rules of redaction, as a setting.
import type { RedactionRule } from '../redact/rules.ts'
import { RedactionRuleError } from '../redact/pattern.ts'
import { parseRedactionRules } from '../redact/rules.ts'
import { ValueError } from './setting-values.ts'

export function redaction(text: string): readonly RedactionRule[] {
  try {
    return parseRedactionRules(text)
  } catch (error) {
    if (error instanceof RedactionRuleError) throw new ValueError(error.message, { cause: error })
    throw error
  }
}
