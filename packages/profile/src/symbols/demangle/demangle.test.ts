import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { compact } from '../../model/compact/compact.ts'
import { contentEqual, difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import type { FunctionSpec, ProfilesSpec } from '../../model/testing/profiles-spec.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import { richProfiles } from '../../model/testing/rich-profiles.ts'
import { validate } from '../../model/validate/validate.ts'
import { demangle, demangleNames } from './demangle.ts'

function withFunctions(...functions: readonly FunctionSpec[]): Profiles {
  const samples = functions.map((spec, i) => ({
    stack: [
      {
        lines: [{ function: spec, line: 3n, column: 4n }],
        attributes: [{ key: 'profile.frame.type', value: 'native' }],
      },
    ],
    values: [BigInt(i + 1)],
  }))
  const spec: ProfilesSpec = [{ scopes: [{ profiles: [{ type: 'cpu', unit: 'nanoseconds', samples }] }] }]
  return buildProfiles(spec)
}

describe('demangle', () => {
  test('demangles C++ and both schemes of Rust', () => {
    expect(demangle('_ZN3foo3barEv')).toBe('foo::bar()')
    expect(demangle('_ZN3foo3bar17h0123456789abcdefE')).toBe('foo::bar')
    expect(demangle('_RNvC3foo3bar')).toBe('foo::bar')
    expect(demangle('main')).toBeUndefined()
    expect(demangle('@')).toBeUndefined()
  })

  test('keeps suffixes that tools add to a name', () => {
    expect(demangle('_ZN3foo3barEv@plt')).toBe('foo::bar()@plt')
    expect(demangle('_ZSt4cout@@GLIBCXX_3.4')).toBe('std::cout@@GLIBCXX_3.4')
  })
})

describe('demangleNames', () => {
  test('keeps the raw name as system name, and all other fields', () => {
    const before = withFunctions(
      { name: '_ZN3foo3barEv', filename: 'a.cc', startLine: 7n },
      { name: '_RNvC3foo3bar', systemName: '_RNvC3foo3bar' },
      { systemName: '_Z3onev' },
      { name: 'main', systemName: '_Z4mainv' },
      { name: 'plain' },
    )
    const { profiles, count } = demangleNames(before)
    expect(count).toBe(3)
    const after = withFunctions(
      { name: 'foo::bar()', systemName: '_ZN3foo3barEv', filename: 'a.cc', startLine: 7n },
      { name: 'foo::bar', systemName: '_RNvC3foo3bar' },
      { name: 'one()', systemName: '_Z3onev' },
      { name: 'main', systemName: '_Z4mainv' },
      { name: 'plain' },
    )
    expect(difference(profiles, after)).toBeUndefined()
    expect(difference(compact(profiles), after)).toBeUndefined()
    expect(validate(profiles)).toEqual([])
  })

  test('does not change a name if its raw form would be lost', () => {
    const before = withFunctions({ name: '_Z3onev', systemName: 'other' })
    expect(demangleNames(before)).toEqual({ profiles: before, count: 0 })
  })

  test('reuses existing strings', () => {
    const before = withFunctions({ name: '_Z3onev' }, { name: 'one()' })
    const { profiles } = demangleNames(before)
    expect(profiles.dictionary.strings.length).toBe(before.dictionary.strings.length)
    expect(validate(profiles)).toEqual([])
  })

  test('changes nothing when applied twice', () => {
    const { profiles } = demangleNames(withFunctions({ name: '_Z3onev' }, { name: '_Z1fIiEvT_' }))
    expect(demangleNames(profiles)).toEqual({ profiles, count: 0 })
  })

  test('changes nothing but the names', () => {
    const before = richProfiles()
    expect(demangleNames(before).profiles).toBe(before)
    const b = new ProfilesBuilder()
    b.profile({ type: 'cpu', unit: 'count' })
    expect(demangleNames(b.build()).count).toBe(0)
  })

  test('keeps the content of random profiles', () => {
    fc.assert(
      fc.property(arbitraryProfiles(), before => {
        const { profiles, count } = demangleNames(before)
        expect(count === 0 || !contentEqual(before, profiles)).toBe(true)
        expect(profiles.samples).toBe(before.samples)
        expect(demangleNames(profiles).count).toBe(0)
      }),
      { numRuns: 100 },
    )
  })
})
