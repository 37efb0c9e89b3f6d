import { describe, expect, it } from 'vitest'
import { accessOf, parseClaimRules } from './claim-rules.ts'

const rules = parseClaimRules(
  'groups:shop-team=tenants:shop+depot,scopes:read+capture groups:Domain%20Admins=tenants:*,scopes:read+admin ' +
    'realm.roles:viewer=tenants:lab email:ada@example.com=scopes:write',
)

describe('parseClaimRules', () => {
  it('reads tenants and scopes, with defaults', () => {
    expect(rules[0]).toEqual({
      claim: 'groups',
      value: 'shop-team',
      tenants: ['shop', 'depot'],
      scopes: ['read', 'capture'],
    })
    expect(rules[2]).toEqual({ claim: 'realm.roles', value: 'viewer', tenants: ['lab'], scopes: ['read'] })
    expect(parseClaimRules('*=scopes:read')).toEqual([
      { claim: '*', value: '', tenants: ['default'], scopes: ['read'] },
    ])
    expect(parseClaimRules(' ')).toEqual([])
  })

  it.each([
    ['groups', "'groups' is not a rule"],
    ['groups=scopes:read', "'groups' is neither CLAIM:VALUE nor *"],
    ['groups:a=scopes:root', "unknown scope 'root'"],
    ['groups:a=tenants:a/b', "'a/b' is not a valid tenant name"],
    ['groups:a=colour:red', 'expected tenants and scopes'],
    ['groups:%zz=scopes:read', 'is not percent-encoded'],
  ])('rejects %j', (text, message) => {
    expect(() => parseClaimRules(text)).toThrow(message)
  })
})

describe('accessOf', () => {
  it('joins all rules that match, in lists, nested claims and single values', () => {
    expect(accessOf(rules, { groups: ['x', 'shop-team', 'Domain Admins'] })).toEqual({
      tenants: ['shop', 'depot', '*'],
      scopes: ['read', 'admin', 'capture'],
    })
    expect(accessOf(rules, { realm: { roles: ['viewer'] } })?.tenants).toEqual(['lab'])
    expect(accessOf(rules, { 'realm.roles': 'viewer' })?.tenants).toEqual(['lab'])
    expect(accessOf(rules, { email: 'ada@example.com', email_verified: true })?.scopes).toEqual(['write'])
  })

  it('grants nothing without a match, and nothing for an unverified address', () => {
    expect(accessOf(rules, { groups: 'shop' })).toBeUndefined()
    expect(accessOf(rules, { groups: { 'shop-team': true } })).toBeUndefined()
    expect(accessOf(rules, { email: 'ada@example.com', email_verified: false })).toBeUndefined()
    expect(accessOf(rules, {})).toBeUndefined()
  })
})
