// The rules that map claims of an identity provider to tenants and scopes, as a setting.
import type { ClaimRule } from '../access/claim-rules.ts'
import { ClaimRuleError, parseClaimRules } from '../access/claim-rules.ts'
import { ValueError } from './setting-values.ts'

export function oidcAccess(text: string): readonly ClaimRule[] {
  try {
    return parseClaimRules(text)
  } catch (error) {
    if (error instanceof ClaimRuleError) throw new ValueError(error.message, { cause: error })
    throw error
  }
}
