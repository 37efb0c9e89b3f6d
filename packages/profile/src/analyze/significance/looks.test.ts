import { expect, it } from 'vitest'
import { MAX_LOOKS, RATE, looksAt, rateOfLook } from './looks.ts'

it('looks at twice the age each time, and spends no more than the rate', () => {
  expect([29, 30, 60, 119, 120, 1e9].map(looksAt)).toEqual([0, 1, 2, 2, 3, MAX_LOOKS])
  const spent = Array.from({ length: 1000 }, (_, i) => rateOfLook(i + 1)).reduce((a, b) => a + b)
  expect(spent).toBeLessThanOrEqual(RATE)
  expect(spent).toBeGreaterThan(0.99 * RATE)
})
