import { expect, test } from 'vitest'
import { Rates } from './rates.ts'

test('Rates computes the growth per second over the last minute', async () => {
  let now = 1000
  let count = 100
  const rates = new Rates(
    async () => new Map([['a', count]]),
    () => now,
  )
  expect((await rates.read()).perSecond('a')).toBe(0)
  const after = async (ms: number, more: number) => {
    now += ms
    count += more
    const { perSecond, counts } = await rates.read()
    expect(counts.get('a')).toBe(count)
    return perSecond('a')
  }
  expect(await after(10_000, 50)).toBe(5)
  expect(await after(10_000, 250)).toBe(15)
  // Reads in quick succession are not recorded and change nothing.
  for (let i = 0; i < 100; i++) await after(10, 0)
  // After a minute without growth, older values no longer count.
  expect(await after(29_000, 0)).toBe(6)
  expect(await after(30_000, 0)).toBeLessThan(6)
  expect(await after(60_000, 0)).toBe(0)
  expect((await rates.read()).perSecond('b')).toBe(0)
})
