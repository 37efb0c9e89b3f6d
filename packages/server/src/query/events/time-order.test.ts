import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeOrder } from './time-order.ts'

const order = (times: readonly bigint[]): number[] => [...timeOrder(BigInt64Array.from(times))]

describe('timeOrder', () => {
  it('merges runs and keeps the order of rows with the same time', () => {
    expect(order([])).toEqual([])
    expect(order([5n, 7n, 7n, 9n])).toEqual([0, 1, 2, 3])
    expect(order([5n, 9n, 5n, 7n, 1n])).toEqual([4, 0, 2, 3, 1])
  })

  it('sorts any times like a stable sort', () => {
    const begun = 1_790_000_000_000_000_000n
    const time = fc.bigInt({ min: begun, max: begun + 20n }).chain(at => fc.constantFrom(at, at + 2n ** 32n - 10n))
    fc.assert(
      fc.property(fc.array(time), times => {
        const rows = times.map((_, row) => row)
        expect(order(times)).toEqual(rows.sort((a, b) => (times[a] < times[b] ? -1 : times[a] > times[b] ? 1 : a - b)))
      }),
    )
  })
})
