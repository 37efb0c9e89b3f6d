import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concat } from './concat.ts'
import { difference } from '../compare/content-equal.ts'
import { arbitrarySpec } from '../testing/arbitrary-profiles.ts'
import { buildProfiles } from '../testing/profiles-spec.ts'
import { richProfiles, richSpec } from '../testing/rich-profiles.ts'
import { scatter } from '../testing/scatter.ts'
import { tidiness } from '../testing/tidiness.ts'

test('concat keeps everything of all inputs, in order', () => {
  fc.assert(
    fc.property(fc.array(arbitrarySpec({ repeats: true }), { maxLength: 3 }), fc.integer(), (specs, seed) => {
      const all = concat(specs.map(spec => scatter(buildProfiles(spec), seed)))
      expect(difference(all, buildProfiles(specs.flat()))).toBeUndefined()
    }),
    { numRuns: 50 },
  )
})

test('concat builds a single dictionary', () => {
  const twice = concat([scatter(richProfiles(), 1), scatter(richProfiles(), 2)])
  expect(difference(twice, buildProfiles([...richSpec(), ...richSpec()]))).toBeUndefined()
  expect(tidiness(twice)).toEqual([])
  expect(twice.dictionary.stacks.length).toBe(concat([richProfiles(), buildProfiles([])]).dictionary.stacks.length)
})

test('concat returns a single input unchanged and makes an empty result of no inputs', () => {
  const one = richProfiles()
  expect(concat([one])).toBe(one)
  expect(concat([]).resources.length).toBe(0)
})
