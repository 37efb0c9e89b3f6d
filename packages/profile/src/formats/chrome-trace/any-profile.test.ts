// Any profile can be written as a trace. The trace reads back valid, and a second round trip changes nothing.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { validate } from '../../model/validate/validate.ts'
import { readChromeTrace } from './read.ts'
import { writeChromeTrace } from './write.ts'

test('any profile survives a round trip', () => {
  fc.assert(
    fc.property(arbitraryProfiles(), profiles => {
      const once = readChromeTrace(writeChromeTrace(profiles).bytes).profiles
      expect(validate(once)).toEqual([])
      const again = writeChromeTrace(once)
      expect(again.notes).toEqual([])
      expect(difference(readChromeTrace(again.bytes).profiles, once)).toBeUndefined()
    }),
    { numRuns: 60, endOnFailure: true },
  )
})
