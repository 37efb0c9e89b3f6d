import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topTable } from '../../analyze/top.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { contentEqual } from '../../model/compare/content-equal.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { fixturesOf } from '../testing/fixtures-of.ts'
import { readDirectly } from './direct-reader.ts'
import { otep239 } from './index.ts'
import { readGenerally, readOtep239 } from './read.ts'
import { writeOtep239 } from './write.ts'

const START = 1_700_000_000_000_000_000n
const SECOND = 1_000_000_000n

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

  it('reads times that count 1 before times with values, and build ids that several containers have', () => {
    const builder = new ProfilesBuilder()
    for (const service of ['a', 'b']) {
      builder.resource({ attributes: [{ key: 'service.name', value: service }] })
      builder.profile({ type: 'samples', unit: 'count', timeUnixNano: START, durationNano: SECOND })
      for (const [line, values] of [[], [5n, 7n], []].entries()) {
        const attributes = [builder.attribute(ATTRIBUTES.buildIdHtlhash, '0123456789abcdef'.repeat(2))]
        const mapping = builder.mapping({ filename: 'app', attributes })
        const location = builder.location({ mapping, address: BigInt(line + 1) })
        builder.sample({
          stack: builder.stack([location]),
          values,
          timestamps: [START + 1_000_000n, START + 2_000_000n],
        })
      }
    }
    const profiles = builder.build()
    const { bytes } = writeOtep239(profiles)
    expect(isReadAlike(bytes)).toBe(true)
    expect(topTable(readOtep239(bytes).profiles, [0, 1]).sum).toBe(32n)
  })

  it('leaves truncated files to the general reader, which reports the place', () => {
    for (const { bytes } of fixturesOf(otep239)) {
      for (let end = 1; end < bytes.length; end += 1 + (end >> 3)) isReadAlike(bytes.subarray(0, end))
    }
  })
})
