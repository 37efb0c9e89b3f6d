import { expect, test } from 'vitest'
import { ProfilesBuilder } from '../model/build/builder.ts'
import { NONE } from '../model/columns/brand.ts'
import { ATTRIBUTES } from '../model/attributes/semantic-conventions.ts'
import { defaultProfile } from './default-profile.ts'

function build(...scopes: readonly (readonly [string, ...string[]])[]): ProfilesBuilder {
  const builder = new ProfilesBuilder()
  for (const [named, ...types] of scopes) {
    const attributes = named === '' ? [] : [{ key: ATTRIBUTES.pprofScopeDefaultSampleType, value: named }]
    builder.scope({ attributes })
    for (const type of types) builder.profile({ type, unit: 'count' })
  }
  return builder
}

test.each([
  ['the profile of the default type', [['space', 'objects', 'space', 'time']] as const, 1],
  ['the first profile without a default', [['', 'objects', 'space']] as const, 0],
  ['the first profile if no profile has the default type', [['cpu', 'objects', 'space']] as const, 0],
  ['a profile of the first scope that has any', [['a'], ['b', 'a', 'b'], ['a', 'a']] as const, 1],
  ['NONE without profiles', [] as const, NONE],
])('defaultProfile returns %s', (_, scopes, row) => {
  expect(defaultProfile(build(...scopes).build())).toBe(row)
})
