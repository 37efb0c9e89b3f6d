import { expect, it } from 'vitest'
import { ProfilesBuilder } from '../build/builder.ts'
import { validate } from '../validate/validate.ts'
import { sumDuplicates } from './sum-duplicates.ts'

function profilesWith(...samples: readonly { values?: bigint[]; timestamps?: bigint[]; stack?: number }[]) {
  const builder = new ProfilesBuilder()
  const stacks = ['a', 'b'].map(name =>
    builder.stack([builder.location({ lines: [{ function: builder.function({ name }) }] })]),
  )
  const attributes = [builder.attribute('k', 'v'), builder.attribute('l', 'w')]
  for (const type of ['cpu', 'wall']) {
    builder.profile({ type, unit: 'ns' })
    for (const [i, { stack = 0, ...observations }] of samples.entries()) {
      builder.sample({
        stack: stacks[stack],
        attributes: i % 2 === 0 ? attributes : attributes.toReversed(),
        ...observations,
      })
    }
  }
  return builder.build()
}

it('sums samples of one profile with the same stack, attributes and link', () => {
  const before = profilesWith({ values: [2n ** 60n] }, { values: [7n], stack: 1 }, { values: [-3n] }, { values: [0n] })
  const { profiles, summed } = sumDuplicates(before)
  expect(summed).toBe(4)
  const { samples, profiles: table } = profiles
  expect([table.samplesTo(0), table.samplesTo(1)]).toEqual([2, 4])
  expect([...samples.values.signed().subarray(0, 4)]).toEqual([2n ** 60n - 3n, 7n, 2n ** 60n - 3n, 7n])
  expect(validate(profiles, { strict: true })).toEqual([])
})

it('keeps every timestamp', () => {
  const before = profilesWith({ timestamps: [5n, 6n], values: [1n, 2n] }, { timestamps: [4n], values: [3n] })
  const { samples } = sumDuplicates(before).profiles
  expect(samples.length).toBe(2)
  expect([...samples.timestamps.unsigned().subarray(0, 3)]).toEqual([5n, 6n, 4n])
  expect([...samples.values.signed().subarray(0, 3)]).toEqual([1n, 2n, 3n])
})

it('keeps samples of different shapes, sums beyond 64 bits, and profiles without duplicates', () => {
  const shapes = profilesWith({ values: [1n] }, { timestamps: [1n] }, { values: [1n], timestamps: [1n] })
  expect(sumDuplicates(shapes)).toEqual({ profiles: shapes, summed: 0 })
  const large = profilesWith({ values: [2n ** 63n - 1n] }, { values: [1n] })
  expect(sumDuplicates(large).profiles.samples.length).toBe(4)
})
