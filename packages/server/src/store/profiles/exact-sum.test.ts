import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sumPairs } from './exact-sum.ts'

const MAX = 2n ** 63n - 1n
const MIN = -(2n ** 63n)

function sum(values: BigInt64Array): { sum: bigint; held: boolean } {
  const out = new Int32Array(4)
  const held = sumPairs(new Int32Array(values.buffer), 0, values.length, out, 2)
  return { sum: new BigInt64Array(out.buffer)[1], held }
}

function expected(values: BigInt64Array): { sum: bigint; held: boolean } {
  let exact = 0n
  for (const value of values) exact += value
  const held = exact > MAX || exact < MIN
  return { sum: exact > MAX ? MAX : exact < MIN ? MIN : exact, held }
}

test('returns the sum, or the limit if it overflows', () => {
  const value = fc.oneof(
    fc.bigInt(MIN, MAX),
    fc.constantFrom(0n, 1n, -1n, MAX, MIN, 2n ** 32n, -(2n ** 32n), 2n ** 31n),
  )
  fc.assert(
    fc.property(fc.array(value), list => {
      const values = BigInt64Array.from(list)
      expect(sum(values)).toEqual(expected(values))
    }),
    { numRuns: 300 },
  )
})

test('is exact for more numbers than doubles can count', () => {
  const values = new BigInt64Array(2 ** 20 + 3)
  expect(sum(values.fill(-1n))).toEqual({ sum: -(2n ** 20n) - 3n, held: false })
  expect(sum(values.fill(MAX))).toEqual({ sum: MAX, held: true })
  expect(sum(values.fill(MIN))).toEqual({ sum: MIN, held: true })
  values[0] = 5n
  values.fill(MAX, 1, 2 ** 19)
  values.fill(-MAX, 2 ** 19, 2 ** 20 - 1)
  values.fill(7n, 2 ** 20 - 1)
  expect(sum(values)).toEqual({ sum: 5n + 4n * 7n, held: false })
})
