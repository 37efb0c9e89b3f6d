import { expect, it } from 'vitest'
import {
  binomialTail,
  falseDiscoveryRates,
  hypergeometricTail,
  kolmogorovTail,
  normalTail,
  studentQuantile,
  studentTail,
  trigamma,
  trigammaInverse,
} from './distributions.ts'

it('has the tails of tables', () => {
  expect(normalTail(1.959964)).toBeCloseTo(0.025, 6)
  expect(normalTail(-1)).toBeCloseTo(0.841345, 6)
  expect(normalTail(6)).toBeCloseTo(9.8659e-10, 13)
  expect(studentTail(2.228139, 10)).toBeCloseTo(0.025, 6)
  expect(studentTail(-2.228139, 10)).toBeCloseTo(0.975, 6)
  expect(studentTail(12.706205, 1)).toBeCloseTo(0.025, 6)
  expect(studentTail(2, Infinity)).toBe(normalTail(2))
  expect(binomialTail(8, 8, 0.5)).toBeCloseTo(0.5 ** 8, 9)
  expect(binomialTail(3, 10, 0.2)).toBeCloseTo(0.3222, 4)
  expect(binomialTail(0, 10, 0.2)).toBe(1)
})

it('has the tails of exact tests of two samples', () => {
  // Fisher's tea: all four of four, and at least three.
  expect(hypergeometricTail(4, { drawn: 4, marked: 4, of: 8 })).toBeCloseTo(1 / 70, 9)
  expect(hypergeometricTail(3, { drawn: 4, marked: 4, of: 8 })).toBeCloseTo(17 / 70, 9)
  expect(hypergeometricTail(0, { drawn: 4, marked: 4, of: 8 })).toBe(1)
  expect(hypergeometricTail(1, { drawn: 1, marked: 3, of: 31 })).toBeCloseTo(3 / 31, 9)
  // The critical distance at 5 % is 1.358 / sqrt(n / 2).
  expect(kolmogorovTail(1.358 / Math.sqrt(5e9), 1e10, 1e10)).toBeCloseTo(0.05, 3)
  expect([kolmogorovTail(0, 10, 10), kolmogorovTail(1, 500, 500)]).toEqual([1, expect.closeTo(0, 9)])
})

it('finds the quantile of a tail', () => {
  expect(studentQuantile(0.025, Infinity)).toBeCloseTo(1.96, 2)
  expect(studentQuantile(0.025, 4)).toBeCloseTo(2.776, 3)
})

it('turns p-values into false discovery rates', () => {
  const q = falseDiscoveryRates(Float64Array.of(0.01, 0.04, 0.03, 0.5))
  expect([...q].map(value => value.toFixed(4))).toEqual(['0.0400', '0.0533', '0.0533', '0.5000'])
  expect(falseDiscoveryRates(new Float64Array(0))).toHaveLength(0)
})

it('has the trigamma function and its inverse', () => {
  expect(trigamma(1)).toBeCloseTo(Math.PI ** 2 / 6, 7)
  expect(trigamma(0.5)).toBeCloseTo(Math.PI ** 2 / 2, 7)
  expect(trigammaInverse(trigamma(3.7))).toBeCloseTo(3.7, 6)
})
