import { expect, test } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

test('TokenBucket allows one second’s worth at once, then only what is refilled', () => {
  const bucket = new TokenBucket(10, 0)
  for (let n = 0; n < 10; n++) expect(bucket.take(0)).toBe(0)
  expect(bucket.take(0)).toBeCloseTo(100)
  expect(bucket.take(100)).toBeCloseTo(100)
  expect(bucket.take(300)).toBe(0)
  // At most one second's worth accumulates while idle.
  for (let n = 0; n < 10; n++) expect(bucket.take(60_000)).toBe(0)
  expect(bucket.take(60_000)).toBeGreaterThan(0)
})
