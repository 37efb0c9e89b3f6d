import { expect, test } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

test('a second’s worth at once, then no more than is refilled', () => {
  const bucket = new TokenBucket(10, 0)
  for (let n = 0; n < 10; n++) expect(bucket.take(0)).toBe(0)
  expect(bucket.take(0)).toBeCloseTo(100)
  expect(bucket.take(100)).toBeCloseTo(100)
  expect(bucket.take(300)).toBe(0)
  // However long it is quiet, not more than a second's worth is saved.
  for (let n = 0; n < 10; n++) expect(bucket.take(60_000)).toBe(0)
  expect(bucket.take(60_000)).toBeGreaterThan(0)
})
