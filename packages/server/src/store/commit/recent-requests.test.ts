import { expect, test } from 'vitest'
import { RecentRequests, requestKey } from './recent-requests.ts'

const idOf = (n: number) => new Uint8Array(16).fill(n)
const keyOf = (n: number) => requestKey('home', idOf(n))
const committed = Promise.resolve()

test('RecentRequests forgets by age and number, oldest first', async () => {
  let now = 1000
  const recent = new RecentRequests({ milliseconds: 100, requests: 3 }, () => now)
  for (let n = 0; n < 5; n++) recent.begin(keyOf(n), committed)
  await committed
  expect([0, 1, 2, 3, 4].map(n => recent.isCommitted(keyOf(n)))).toEqual([false, false, true, true, true])
  now = 1099
  expect(recent.isCommitted(keyOf(4))).toBe(true)
  now = 1100
  expect(recent.isCommitted(keyOf(4))).toBe(false)
  recent.begin(keyOf(9), committed)
  await committed
  expect(recent.size).toBe(1)
})

test('RecentRequests loads requests in order of time and never from the future', () => {
  let now = 1000
  const recent = new RecentRequests({ milliseconds: 100, requests: 2 }, () => now)
  const of = (n: number, received: number) => ({ tenant: 'home', id: idOf(n), received })
  recent.load([of(1, 950)])
  recent.load([of(3, 99_999), of(2, 940), of(4, 10)])
  expect([1, 2, 3, 4].map(n => recent.isCommitted(keyOf(n)))).toEqual([true, false, true, false])
  now = 1100
  expect(recent.isCommitted(keyOf(3))).toBe(false)
})

test('RecentRequests tracks requests in flight and forgets failed ones', async () => {
  const recent = new RecentRequests({ milliseconds: 100, requests: 3 }, () => 0)
  const failed = Promise.reject(new Error('no'))
  recent.begin(keyOf(1), failed)
  expect(recent.inFlight(keyOf(1))).toBe(failed)
  await failed.catch(() => {})
  expect([recent.inFlight(keyOf(1)), recent.isCommitted(keyOf(1))]).toEqual([undefined, false])
})

test('requestKey distinguishes tenants, ids in a larger buffer, and bytes above 127', () => {
  const bytes = new Uint8Array(64).map((_, i) => 200 + (i >> 4))
  const keys = [0, 16, 32, 48].map(at => requestKey('a', bytes.subarray(at, at + 16)))
  expect(new Set([...keys, requestKey('b', bytes.subarray(0, 16))]).size).toBe(5)
  expect(requestKey('a', bytes.slice(16, 32))).toBe(keys[1])
})
