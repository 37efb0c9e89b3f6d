import { expect, test } from 'vitest'
import { Rates } from './rates.ts'

test('growth a second, over the last minute', async () => {
  let now = 1000
  let count = 100
  const rates = new Rates(
    async () => new Map([['a', count]]),
    () => now,
  )
  expect((await rates.look()).perSecond('a')).toBe(0)
  const after = async (ms: number, more: number) => {
    now += ms
    count += more
    const { perSecond, counts } = await rates.look()
    expect(counts.get('a')).toBe(count)
    return perSecond('a')
  }
  expect(await after(10_000, 50)).toBe(5)
  expect(await after(10_000, 250)).toBe(15)
  // Looks at short intervals are not kept, and change nothing.
  for (let i = 0; i < 100; i++) await after(10, 0)
  // Half a minute of nothing, then another one: what was before it has gone.
  expect(await after(29_000, 0)).toBe(6)
  expect(await after(30_000, 0)).toBeLessThan(6)
  expect(await after(60_000, 0)).toBe(0)
  expect((await rates.look()).perSecond('b')).toBe(0)
})
