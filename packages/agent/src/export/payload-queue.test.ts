import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { waitMillis } from './back-off.ts'
import { PayloadQueue } from './payload-queue.ts'

const sized = (length: number): Uint8Array => new Uint8Array(length)

test('PayloadQueue drops the oldest payload when it is full, but not the one in flight', () => {
  const queue = new PayloadQueue({ count: 3, bytes: 100 })
  for (const length of [10, 20, 30]) expect(queue.push(sized(length), 0)).toBe(0)
  expect(queue.push(sized(40), 0)).toBe(1)
  expect(queue.take()?.bytes.length).toBe(20)
  expect(queue.push(sized(45), 0)).toBe(2)
  expect([queue.length, queue.bytes]).toEqual([2, 65])
  expect(queue.take()?.bytes.length).toBe(20)
  queue.remove()
  expect(queue.take()?.bytes.length).toBe(45)
})

test('PayloadQueue drops a payload that is too large by itself', () => {
  const queue = new PayloadQueue({ count: 3, bytes: 100 })
  queue.push(sized(10), 0)
  expect(queue.push(sized(101), 0)).toBe(1)
  expect([queue.length, queue.bytes]).toEqual([1, 10])
})

test('PayloadQueue never exceeds its limits and counts its content', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('push' as const), length: fc.nat(120) }),
    fc.record({ kind: fc.constantFrom('take' as const, 'compress' as const, 'release' as const, 'remove' as const) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const queue = new PayloadQueue({ count: 4, bytes: 100 })
      let pushed = 0
      let gone = 0
      for (const one of steps) {
        if (one.kind === 'push') {
          pushed++
          gone += queue.push(sized(one.length), 0)
        } else if (one.kind === 'take') queue.take()
        else if (one.kind === 'compress') {
          const head = queue.take()
          if (head !== undefined) queue.compressed(sized(head.bytes.length >> 1))
        } else if (one.kind === 'release') queue.release()
        else if (queue.length > 0) {
          queue.remove()
          gone++
        }
        expect(queue.length).toBe(pushed - gone)
        expect(queue.length).toBeLessThanOrEqual(4)
        // The one in flight and the latest one have at most 100 bytes each, and may exceed the limit together.
        expect(queue.bytes).toBeLessThanOrEqual(200)
      }
      let bytes = 0
      for (let head = queue.take(); head !== undefined; head = queue.take()) {
        bytes += head.bytes.length
        queue.remove()
      }
      expect(queue.bytes).toBe(0)
      expect(bytes).toBeLessThanOrEqual(200)
    }),
  )
})

test('waitMillis grows up to a limit, and a delay that the server requests has priority', () => {
  const limits = { firstMillis: 1000, maxMillis: 30_000 }
  const waits = [1, 2, 3, 6, 100].map(failures => waitMillis(failures, undefined, limits, () => 1))
  expect(waits).toEqual([1000, 2000, 4000, 30_000, 30_000])
  expect(waitMillis(1, undefined, limits, () => 0)).toBe(500)
  expect(waitMillis(1, 7000, limits, () => 0)).toBe(7000)
  expect(waitMillis(1, 7000, limits, () => 1)).toBeCloseTo(7700)
  expect(waitMillis(1, 10 ** 9, limits, () => 0)).toBe(300_000)
})
