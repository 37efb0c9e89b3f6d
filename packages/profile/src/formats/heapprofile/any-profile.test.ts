// Whatever the model can hold is written, reads back sound, and is the same when it is written and read once more.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { validate } from '../../model/validate/validate.ts'
import { readHeapprofile } from './read.ts'
import { writeHeapprofile } from './write.ts'

test('any profiles', () => {
  fc.assert(
    fc.property(arbitraryProfiles(), profiles => {
      const once = readHeapprofile(writeHeapprofile(profiles).bytes).profiles
      expect(validate(once)).toEqual([])
      const again = writeHeapprofile(once)
      expect(again.notes).toEqual([])
      expect(difference(readHeapprofile(again.bytes).profiles, once)).toBeUndefined()
    }),
    { numRuns: 60, endOnFailure: true },
  )
})
