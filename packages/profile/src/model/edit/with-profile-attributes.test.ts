import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AnyValue } from '../columns/any-value.ts'
import { difference } from '../compare/content-equal.ts'
import type { Profiles } from '../columns/profiles.ts'
import { arbitraryProfiles } from '../testing/arbitrary-profiles.ts'
import { validate } from '../validate/validate.ts'
import { withProfileAttributes } from './with-profile-attributes.ts'

const ADDED = [
  { key: 'capture.id', value: 'c1' },
  { key: 'capture.count', value: 7n },
]

function attributesOf({ profiles, dictionary }: Profiles, i: number): Map<string, AnyValue> {
  const { strings, attributes } = dictionary
  return new Map(profiles.attributesOf(i).map(row => [strings.text(attributes.key(row)), attributes.value(row)]))
}

const idFor = (i: number) => new Uint8Array(16).fill(i + 1)

test('withProfileAttributes adds attributes and ids to every profile and changes nothing else', () => {
  fc.assert(
    fc.property(arbitraryProfiles(), profiles => {
      const marked = withProfileAttributes(profiles, ADDED, idFor)
      for (let i = 0; i < profiles.profiles.length; i++) {
        const own = attributesOf(profiles, i)
        expect(attributesOf(marked, i)).toEqual(
          new Map([...ADDED.map(({ key, value }) => [key, value] as const), ...own]),
        )
        const id = profiles.profiles.id(i)
        expect(marked.profiles.id(i)).toEqual(id.length === 0 ? idFor(i) : id)
      }
      expect(marked.samples.length).toBe(profiles.samples.length)
      expect(validate(marked)).toEqual(validate(profiles))
      // Without anything to add, the result is a copy.
      expect(difference(withProfileAttributes(profiles, []), profiles)).toBeUndefined()
    }),
    { numRuns: 100 },
  )
})

test('withProfileAttributes does not replace existing attributes', () => {
  fc.assert(
    fc.property(arbitraryProfiles(), profiles => {
      const once = withProfileAttributes(profiles, ADDED, idFor)
      const other = ADDED.map(({ key }) => ({ key, value: 'other' }))
      expect(
        difference(
          withProfileAttributes(once, other, () => new Uint8Array(16).fill(99)),
          once,
        ),
      ).toBeUndefined()
    }),
    { numRuns: 30 },
  )
})
