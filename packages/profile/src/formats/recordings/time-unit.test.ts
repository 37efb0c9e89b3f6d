import { expect, test } from 'vitest'
import { timeUnit } from './time-unit.ts'

test.each([
  [1_687_841_528n, 'seconds'],
  [1_687_841_528_000n, 'milliseconds'],
  [1_687_841_528_000_000n, 'microseconds'],
  [1_687_841_528_000_000_000n, 'nanoseconds'],
  [0n, 'nanoseconds'],
  [99n, 'nanoseconds'],
  [2n ** 64n - 1n, 'nanoseconds'],
])('timeUnit recognises %d as %s', (time, name) => {
  expect(timeUnit(time).name).toBe(name)
})
