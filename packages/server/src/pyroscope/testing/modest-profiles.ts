// Random profiles with small positive values, so that every node has a width and no sum exceeds 64 bits.
import fc from 'fast-check'
import type { PlainProfile } from '../../query/testing/plain-profiles.ts'
import { plainProfile } from '../../query/testing/plain-profiles.ts'

export function modestProfiles(count: number, seed: number): PlainProfile[] {
  const [found] = fc.sample(fc.array(plainProfile, { minLength: count, maxLength: count }), { seed, numRuns: 1 })
  return found.map(profile => ({
    ...profile,
    unit: 'nanoseconds',
    periodType: 'cpu',
    periodUnit: 'nanoseconds',
    samples: profile.samples
      .filter(({ frames }) => frames.length > 0)
      .map(sample => ({ ...sample, values: sample.values.map(value => BigInt.asUintN(8, value) + 1n) })),
  }))
}

export const CPU_ID = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds'
