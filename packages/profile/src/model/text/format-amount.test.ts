import { expect, it } from 'vitest'
import { formatAmount } from './format-amount.ts'

it('formatAmount shows cores, rates and states with a suitable prefix', () => {
  expect([0.0123, 0.3149, 12.34].map(value => formatAmount(value, 'cores'))).toEqual([
    '0.0123 cores',
    '0.315 cores',
    '12.3 cores',
  ])
  expect(formatAmount(1.5 * 2 ** 20, 'bytes/s')).toBe('1.50 MiB/s')
  expect(formatAmount(5100, '1/s')).toBe('5.10 k/s')
  expect(formatAmount(3 * 2 ** 20, 'B')).toBe('3.00 MiB')
  expect(formatAmount(-0.05, 'cores')).toBe('-0.05 cores')
})
