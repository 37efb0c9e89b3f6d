import { describe, expect, it } from 'vitest'
import { contentEqual } from '../compare/content-equal.ts'
import { richProfiles } from '../testing/rich-profiles.ts'
import { profilesFromClone } from './cloned-profiles.ts'

describe('profilesFromClone', () => {
  it('restores profiles after a structured clone', () => {
    const profiles = richProfiles()
    // A decoded text and a view of whole numbers are properties of a table, and are cloned with it.
    profiles.dictionary.strings.text(profiles.profiles.type(0))
    profiles.samples.values.signed()
    const restored = profilesFromClone(structuredClone(profiles))
    expect(contentEqual(restored, profiles)).toBe(true)
    expect(restored.samples.total(0)).toBe(profiles.samples.total(0))
    expect(restored.dictionary.strings.ints).not.toBe(profiles.dictionary.strings.ints)
  })
})
