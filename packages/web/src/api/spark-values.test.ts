import { expect, it } from 'vitest'
import { sparkValues } from './spark-values.ts'

it('sparkValues sums points in equal parts of the range', () => {
  const at = (ms: number, value: number) => ({ time: String(BigInt(ms) * 1_000_000n), value })
  expect(sparkValues([at(1000, 1), at(1240, 2), at(1999, 4), at(2000, 8)], 1000, 1000, 4)).toEqual([3, 0, 0, 12])
  expect(sparkValues([], 0, 10, 2)).toEqual([0, 0])
})
