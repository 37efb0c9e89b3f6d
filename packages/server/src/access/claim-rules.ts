// Maps the claims of an identity provider to tenants and scopes: `groups:shop-team=tenants:shop,scopes:read+capture`.
import type { AccessScope } from './tokens.ts'
import { SCOPES } from './tokens.ts'
import { isTenantName } from './access-file.ts'

/** Grants access to people who have a claim with a value. */
export interface ClaimRule {
  /** The name of the claim, or a path into it such as `realm_access.roles`. `*` matches everybody who can sign in. */
  readonly claim: string
  /** The value, or an element of the claim if it is a list. */
  readonly value: string
  readonly tenants: readonly string[]
  readonly scopes: readonly AccessScope[]
}

export class ClaimRuleError extends Error {
  override readonly name = 'ClaimRuleError'
}

/** Throws ClaimRuleError. A space or another special character in a claim or value is percent-encoded. */
export function parseClaimRules(text: string): readonly ClaimRule[] {
  return text
    .split(/\s+/)
    .filter(word => word !== '')
    .map(parseRule)
}

const EXAMPLE = 'groups:shop-team=tenants:shop,scopes:read+capture'

function parseRule(word: string): ClaimRule {
  const equals = word.lastIndexOf('=')
  if (equals < 1) throw new ClaimRuleError(`'${word}' is not a rule; write ${EXAMPLE}`)
  const who = word.slice(0, equals)
  const colon = who.indexOf(':')
  if (who !== '*' && (colon < 1 || colon === who.length - 1))
    throw new ClaimRuleError(`'${who}' is neither CLAIM:VALUE nor *; write ${EXAMPLE}`)
  const parts = new Map(
    word
      .slice(equals + 1)
      .split(',')
      .map(part => {
        const at = part.indexOf(':')
        return [part.slice(0, Math.max(at, 0)), part.slice(at + 1).split('+')] as const
      }),
  )
  const unknown = [...parts.keys()].find(name => name !== 'tenants' && name !== 'scopes')
  if (unknown !== undefined) throw new ClaimRuleError(`'${word}': expected tenants and scopes; write ${EXAMPLE}`)
  const tenants = parts.get('tenants') ?? ['default']
  const badTenant = tenants.find(name => name !== '*' && !isTenantName(name))
  if (badTenant !== undefined) throw new ClaimRuleError(`'${badTenant}' is not a valid tenant name`)
  return {
    claim: who === '*' ? '*' : decoded(who.slice(0, colon)),
    value: who === '*' ? '' : decoded(who.slice(colon + 1)),
    tenants,
    scopes: (parts.get('scopes') ?? ['read']).map(scopeOf),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    throw new ClaimRuleError(`'${text}' is not percent-encoded`, { cause: error })
  }
}

function scopeOf(name: string): AccessScope {
  const scope = SCOPES.find(known => known === name)
  if (scope === undefined) throw new ClaimRuleError(`unknown scope '${name}'; expected one of ${SCOPES.join(', ')}`)
  return scope
}

export type Claims = Readonly<Record<string, unknown>>

/** The union of all rules that match. Undefined if none does. */
export function accessOf(
  rules: readonly ClaimRule[],
  claims: Claims,
): { readonly tenants: readonly string[]; readonly scopes: readonly AccessScope[] } | undefined {
  const matching = rules.filter(({ claim, value }) => claim === '*' || valuesOf(claims, claim).includes(value))
  if (matching.length === 0) return undefined
  return {
    tenants: [...new Set(matching.flatMap(({ tenants }) => tenants))],
    scopes: SCOPES.filter(scope => matching.some(({ scopes }) => scopes.includes(scope))),
  }
}

export function hasClaim(claims: Claims, claim: string): boolean {
  return claim === '*' || valuesOf(claims, claim).length > 0
}

function valuesOf(claims: Claims, claim: string): readonly string[] {
  // A person can enter any address at some providers.
  if (claim === 'email' && claims['email_verified'] === false) return []
  const value = Object.hasOwn(claims, claim) ? claims[claim] : atPath(claims, claim.split('.'))
  return (Array.isArray(value) ? (value as unknown[]) : [value])
    .filter(each => typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean')
    .map(String)
}

function atPath(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return atPath((value as Claims)[key], rest)
}
