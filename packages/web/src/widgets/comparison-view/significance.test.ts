// Chance and change.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deviations, judge } from './significance.ts'

const share = (part: number, of: number) => ({ part, of })

test('few samples say little, many say much', () => {
  expect(judge(share(0.1, 50), share(0.13, 50))).toBe('chance')
  expect(judge(share(0.1, 50_000), share(0.13, 50_000))).toBe('clear')
  // Ten of a hundred against twenty: 2.0 deviations by the book.
  expect(deviations(share(0.1, 100), share(0.2, 100))).toBeCloseTo(1.98, 2)
})

test('nothing to compare with is no change', () => {
  expect([deviations(share(0, 0), share(1, 10)), deviations(share(0, 10), share(0, 10))]).toEqual([0, 0])
})

test('swapping the sides turns the sign', () => {
  const shares = fc.record({
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    of: fc.integer({ min: 0, max: 10_000 }),
  })
  fc.assert(
    fc.property(shares, shares, (a, b) => {
      expect(deviations(a, b)).toBeCloseTo(-deviations(b, a), 9)
    }),
  )
})
