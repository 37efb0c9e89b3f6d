// Parts of time in addresses.
import { expect, test } from 'vitest'
import { formatSpan, parseSpan } from './span-text.ts'

test('there and back, at least a nanosecond', () => {
  expect(formatSpan({ from: 1200.7, until: 3400.2 })).toBe('1200-3401')
  expect(parseSpan('1200-3401')).toEqual({ from: 1200, until: 3401 })
  expect(formatSpan({ from: -3, until: 0 })).toBe('0-1')
})

test.each(['', '5', '5-5', '9-2', '-1-3', '1e3-2e3', `0-${'9'.repeat(30)}`])('%j is no part', text => {
  expect(parseSpan(text)).toBeUndefined()
})
