// Any profile can be written as a .cpuprofile. The file reads back valid, and a second round trip changes nothing.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { validate } from '../../model/validate/validate.ts'
import { readCpuprofile } from './read.ts'
import { writeCpuprofile } from './write.ts'

test('any profile survives a round trip', () => {
  fc.assert(
    fc.property(arbitraryProfiles(), profiles => {
      const once = readCpuprofile(writeCpuprofile(profiles).bytes).profiles
      expect(validate(once)).toEqual([])
      const again = writeCpuprofile(once)
      expect(again.notes).toEqual([])
      expect(difference(readCpuprofile(again.bytes).profiles, once)).toBeUndefined()
    }),
    { numRuns: 60, endOnFailure: true },
  )
})
