import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ExponentialBuckets } from './distribution.ts'
import { ExplicitSum, ExponentialSum, explicitIncrease, exponentialIncrease, quantileOf } from './distribution.ts'

describe('histograms', () => {
  test('are added up with their common bounds', () => {
    const sum = new ExplicitSum()
    sum.add({ bounds: [10, 20, 50], counts: [1n, 2n, 3n, 4n] })
    sum.add({ bounds: [10, 50], counts: [10n, 20n, 30n] })
    expect(sum.distribution()).toEqual({
      cells: [
        { lower: -Infinity, upper: 10 },
        { lower: 10, upper: 50 },
        { lower: 50, upper: Infinity },
      ],
      counts: [11, 25, 34],
      exponential: false,
    })
  })

  test('interpolate quantiles within a bucket, and end at the last bound', () => {
    const sum = new ExplicitSum()
    sum.add({ bounds: [10, 20], counts: [10n, 10n, 5n] })
    const of = (q: number) => quantileOf(sum.distribution(), q)
    expect([0, 0.2, 0.4, 0.6, 0.8, 0.9, 1].map(of)).toEqual([0, 5, 10, 15, 20, 20, 20])
    expect(quantileOf(new ExplicitSum().distribution(), 0.5)).toBeUndefined()
    const one = new ExplicitSum()
    one.add({ bounds: [], counts: [3n] })
    expect(quantileOf(one.distribution(), 0.5)).toBeUndefined()
  })

  test('have no increase if a bucket fell', () => {
    const was = { bounds: [1], counts: [5n, 2n ** 60n] }
    expect(explicitIncrease(was, { bounds: [1], counts: [6n, 2n ** 60n + 3n] })).toEqual({
      bounds: [1],
      counts: [1n, 3n],
    })
    expect(explicitIncrease(was, { bounds: [1], counts: [4n, 2n ** 61n] })).toBeUndefined()
    expect(explicitIncrease(was, { bounds: [2], counts: [6n, 2n ** 61n] })).toBeUndefined()
  })
})

/** Counts values like an SDK. */
function counted(values: readonly number[], scale: number): ExponentialBuckets {
  const positive = new Map<number, bigint>()
  const negative = new Map<number, bigint>()
  let zeroCount = 0n
  for (const value of values) {
    if (value === 0) zeroCount++
    else {
      const index = Math.ceil(Math.log2(Math.abs(value)) * 2 ** scale) - 1
      const side = value > 0 ? positive : negative
      side.set(index, (side.get(index) ?? 0n) + 1n)
    }
  }
  return { scale, zeroThreshold: 0, zeroCount, positive, negative }
}

describe('exponential histograms', () => {
  // Values away from bucket boundaries, where logarithms are inexact.
  const value = fc.oneof(
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 6, arbitrary: fc.integer({ min: -5000, max: 5000 }).map(n => (n + 0.37) * 0.731) },
  )

  test('add up to cells that contain all values, whatever their scales', () => {
    const parts = fc.array(
      fc.record({ values: fc.array(value, { maxLength: 20 }), scale: fc.integer({ min: -3, max: 6 }) }),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(parts, list => {
        const sum = new ExponentialSum()
        for (const { values, scale } of list) sum.add(counted(values, scale))
        const { cells, counts } = sum.distribution()
        const values = list.flatMap(part => part.values)
        for (const [i, { lower, upper }] of cells.entries()) {
          const inside = values.filter(each =>
            lower === upper ? each === 0 : lower >= 0 ? each > lower && each <= upper : each >= lower && each < upper,
          )
          expect(counts[i]).toBe(inside.length)
        }
        expect(counts.reduce((all, count) => all + count, 0)).toBe(values.length)
        if (values.length === 0) return
        const sorted = values.toSorted((a, b) => a - b)
        for (const q of [0.25, 0.5, 0.9]) {
          const near = quantileOf(sum.distribution(), q)!
          const exact = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)]
          const cell = cells.find(({ lower, upper }) =>
            lower === upper
              ? exact === 0
              : lower >= 0
                ? exact > lower && exact <= upper
                : exact >= lower && exact < upper,
          )!
          // The bucket that contains the value of that rank.
          expect(near).toBeGreaterThanOrEqual(cell.lower * (cell.lower < 0 ? 1 + 1e-9 : 1 - 1e-9))
          expect(near).toBeLessThanOrEqual(cell.upper * (cell.upper < 0 ? 1 - 1e-9 : 1 + 1e-9))
        }
      }),
    )
  })

  test('have an increase, also if the scale fell', () => {
    const was = counted([1.5, 2.5, 100, 0], 4)
    const is = counted([1.5, 2.5, 100, 0, 7, 7.1, -3, 0], 2)
    const increase = exponentialIncrease(was, is)!
    expect(increase).toMatchObject({ scale: 2, zeroCount: 1n })
    const more = counted([7, 7.1, -3], 2)
    const withoutZeros = (counts: ReadonlyMap<number, bigint>) => new Map([...counts].filter(([, n]) => n !== 0n))
    expect(withoutZeros(increase.positive)).toEqual(more.positive)
    expect(increase.negative).toEqual(more.negative)
    expect(exponentialIncrease(is, was)).toBeUndefined()
  })

  test('have at most as many buckets as a screen can show', () => {
    const sum = new ExponentialSum()
    sum.add(counted([1e-300, 1e300], 8))
    const { cells, counts } = sum.distribution()
    expect(cells.length).toBeLessThanOrEqual(320)
    expect([counts[0], counts.at(-1)]).toEqual([1, 1])
    // Any values that a sender can send.
    for (const scale of [-(2 ** 31), -20, 20, 2 ** 31 - 1]) {
      const wild = new ExponentialSum()
      const positive = new Map([-(2 ** 31), -1, 0, 2 ** 31 + 5].map(index => [index, 1n]))
      wild.add({ scale, zeroThreshold: 0, zeroCount: 1n, positive, negative: positive })
      wild.add(counted([1, 2, 3], 0))
      const distribution = wild.distribution()
      expect(distribution.cells.length).toBeLessThanOrEqual(321)
      expect(distribution.counts.reduce((all, count) => all + count, 0)).toBe(12)
      expect(() => quantileOf(distribution, 0.9)).not.toThrow()
    }
  })
})
