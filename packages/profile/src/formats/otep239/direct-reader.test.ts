import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentEqual } from '../../model/compare/content-equal.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { fixturesOf } from '../testing/fixtures-of.ts'
import { readDirectly } from './direct-reader.ts'
import { otep239 } from './index.ts'
import { readGenerally, readOtep239 } from './read.ts'
import { writeOtep239 } from './write.ts'

/** Returns whether the file was read directly. */
function isReadAlike(bytes: Uint8Array): boolean {
  const direct = readDirectly(bytes)
  if (direct === undefined) return false
  const general = readGenerally(bytes)
  expect(contentEqual(direct.profiles, general.profiles)).toBe(true)
  expect(direct.notes.list()).toEqual(general.notes)
  expect(readOtep239(bytes).generation).toBe(general.generation)
  return true
}

describe('readDirectly', () => {
  it('reads files of any content like the general reader', () => {
    let direct = 0
    fc.assert(
      fc.property(arbitraryProfiles(), profiles => {
        if (isReadAlike(writeOtep239(profiles).bytes)) direct++
      }),
    )
    expect(direct).toBeGreaterThan(0)
  })

  it('reads or leaves every fixture like the general reader', () => {
    const direct = fixturesOf(otep239).filter(({ bytes }) => isReadAlike(bytes))
    expect(direct.length).toBeGreaterThan(0)
  })

  it('leaves truncated files to the general reader, which reports the place', () => {
    for (const { bytes } of fixturesOf(otep239)) {
      for (let end = 1; end < bytes.length; end += 1 + (end >> 3)) isReadAlike(bytes.subarray(0, end))
    }
  })
})
