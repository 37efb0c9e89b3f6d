// EventSamples groups observations into samples by stack and attributes, in their original order and without rounding.
import { expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { commonRange, EventSamples, timeFields } from './event-samples.ts'

function add(samples: EventSamples, stack: number, value: bigint, time: bigint): void {
  samples.add(stack, 0, lowHalf(value), highHalf(value), lowHalf(time), highHalf(time))
}

function written(samples: EventSamples): Profiles {
  const builder = new ProfilesBuilder()
  for (let i = 1; i < 4; i++) builder.stack([builder.location({ address: i })])
  builder.profile({ type: 'cycles', unit: 'count' })
  const sets = new SequenceInterner()
  sets.intern(new Int32Array(0), 0, 0)
  samples.writeTo(builder, sets)
  return builder.build()
}

test('observations with equal stacks become one sample with all values and timestamps', () => {
  const samples = new EventSamples(true, true)
  add(samples, 1, 5n, 10n)
  add(samples, 2, 6n, 11n)
  add(samples, 1, -7n, 2n ** 64n - 1n)
  const { samples: table } = written(samples)
  expect(table.length).toBe(2)
  expect([...table.values.signed()]).toEqual([5n, -7n, 6n])
  expect([...table.timestamps.unsigned()]).toEqual([10n, 2n ** 64n - 1n, 11n])
  expect(samples.range()).toEqual({ first: 10n, last: 2n ** 64n - 1n })
})

test('values are omitted if all are 1 and there are timestamps', () => {
  const samples = new EventSamples(true, true)
  add(samples, 1, 1n, 10n)
  add(samples, 1, 1n, 12n)
  expect(samples.isCounted).toBe(false)
  expect(written(samples).samples.values.length).toBe(0)
  add(samples, 1, 2n, 13n)
  expect(samples.isCounted).toBe(true)
})

test('values are summed without timestamps, and a sum beyond 64 bits starts another sample', () => {
  const samples = new EventSamples(true, false)
  add(samples, 1, 2n ** 32n - 1n, 0n)
  add(samples, 1, 1n, 0n)
  add(samples, 2, 2n ** 63n - 1n, 0n)
  add(samples, 2, 5n, 0n)
  add(samples, 3, -(2n ** 63n), 0n)
  const { samples: table } = written(samples)
  expect([...table.values.signed()]).toEqual([2n ** 32n, 2n ** 63n - 1n, 5n, -(2n ** 63n)])
  expect(samples.range()).toBeUndefined()
  const counted = new EventSamples(false, false)
  add(counted, 1, 99n, 0n)
  add(counted, 1, 99n, 0n)
  expect([...written(counted).samples.values.signed()]).toEqual([2n])
})

test('shiftTimes carries from the low half to the high half', () => {
  const samples = new EventSamples(false, true)
  add(samples, 1, 0n, 2n ** 32n - 1n)
  add(samples, 1, 0n, 2n ** 40n)
  samples.shiftTimes(lowHalf(-5n), highHalf(-5n))
  expect(samples.range()).toEqual({ first: 2n ** 32n - 6n, last: 2n ** 40n - 5n })
  samples.shiftTimes(lowHalf(2n ** 33n + 6n), highHalf(2n ** 33n + 6n))
  expect(samples.range()).toEqual({ first: 2n ** 32n + 2n ** 33n, last: 2n ** 40n + 2n ** 33n + 1n })
})

test('commonRange spans all samples, and timeFields ends just after the last timestamp', () => {
  const a = new EventSamples(false, true)
  const b = new EventSamples(false, true)
  expect(commonRange([a, b])).toBeUndefined()
  add(a, 1, 0n, 7n)
  add(b, 1, 0n, 3n)
  expect(commonRange([a, b, new EventSamples(true, false)])).toEqual({ first: 3n, last: 7n })
  expect(timeFields({ first: 3n, last: 7n })).toEqual({ timeUnixNano: 3n, durationNano: 5n })
  expect(timeFields({ first: 0n, last: 2n ** 64n - 1n }).durationNano).toBe(2n ** 64n - 1n)
})
