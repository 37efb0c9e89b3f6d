import { expect, test } from 'vitest'
import { formatSpan, parseSpan } from './time-span.ts'

test('parseSpan reads what formatSpan writes, with at least a nanosecond', () => {
  const origin = 1_700_000_000_000_000_001n
  expect(formatSpan(origin, 1200.7, 3400.2)).toBe('1700000000000001201-1700000000000003402')
  expect(parseSpan('1700000000000001201-1700000000000003402')).toEqual({ from: origin + 1200n, until: origin + 3401n })
  expect(formatSpan(0n, -3, 0)).toBe('0-1')
})

test.each(['', '5', '5-5', '9-2', '-1-3', '1e3-2e3', `0-${'9'.repeat(30)}`])('parseSpan rejects %j', text => {
  expect(parseSpan(text)).toBeUndefined()
})
