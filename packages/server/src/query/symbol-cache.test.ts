import { describe, expect, test } from 'vitest'
import type { ReadEngine } from '../store/engine.ts'
import { Remembered } from './symbol-cache.ts'

function engineWith(changes: Record<string, number> | undefined): ReadEngine {
  const never = () => Promise.reject(new Error('not queried'))
  return {
    select: never,
    selectBlocks: () => {
      throw new Error('not queried')
    },
    ...(changes === undefined ? {} : { changes: table => changes[table] ?? 0 }),
  }
}

describe('SymbolCache', () => {
  const counted = () => {
    let made = 0
    return { make: () => Promise.resolve(++made), rows: () => 1 }
  }

  test('keeps a value until its table changes', async () => {
    const changes = { series: 0, scopes: 0 }
    const engine = engineWith(changes)
    const remembered = new Remembered()
    const { make, rows } = counted()
    const get = () => remembered.get(engine, 'series', 'a', make, rows)
    expect([await get(), await get()]).toEqual([1, 1])
    changes.scopes++
    expect(await get()).toBe(1)
    changes.series++
    expect([await get(), await get()]).toEqual([2, 2])
  })

  test('computes a value again if the table changed in the meantime', async () => {
    const changes = { series: 0 }
    const engine = engineWith(changes)
    const remembered = new Remembered()
    const slow = () => {
      changes.series++
      return Promise.resolve('possibly outdated')
    }
    expect(await remembered.get(engine, 'series', 'a', slow, () => 1)).toBe('possibly outdated')
    expect(
      await remembered.get(
        engine,
        'series',
        'a',
        () => Promise.resolve('new'),
        () => 1,
      ),
    ).toBe('new')
  })

  test('keeps nothing if the engine does not report changes, or if it failed', async () => {
    const remembered = new Remembered()
    const { make, rows } = counted()
    const cluster = engineWith(undefined)
    expect(await remembered.get(cluster, 'series', 'a', make, rows)).toBe(1)
    expect(await remembered.get(cluster, 'series', 'a', make, rows)).toBe(2)
    const engine = engineWith({})
    await expect(remembered.get(engine, 'series', 'b', () => Promise.reject(new Error('no')), rows)).rejects.toThrow(
      'no',
    )
    expect(await remembered.get(engine, 'series', 'b', make, rows)).toBe(3)
  })

  test('drops the least recently used entry first', async () => {
    const engine = engineWith({})
    const remembered = new Remembered()
    const get = (key: string, value: string) =>
      remembered.get(
        engine,
        'series',
        key,
        () => Promise.resolve(value),
        () => 90_000,
      )
    await get('a', 'first')
    await get('b', 'first')
    expect(await get('a', 'second')).toBe('first')
    await get('c', 'first')
    expect(await get('a', 'second')).toBe('first')
    expect(await get('b', 'second')).toBe('second')
    const huge = () =>
      remembered.get(
        engine,
        'series',
        'd',
        () => Promise.resolve({}),
        () => 1e9,
      )
    expect(await huge()).not.toBe(await huge())
  })
})
