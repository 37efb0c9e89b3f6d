// Compares the tree of memory maps with a plain list, in which the last entry with an address wins.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { MemoryMaps } from './memory-maps.ts'

/** Few addresses, so that ranges overlap, near the limits of 32-bit halves and of 64 bits. */
const address = fc
  .tuple(fc.constantFrom(0n, 2n ** 32n - 8n, 2n ** 63n - 8n, 2n ** 64n - 16n), fc.integer({ min: 0, max: 15 }))
  .map(([base, offset]) => base + BigInt(offset))

interface Step {
  readonly start: bigint
  readonly last: bigint
  readonly forks: boolean
}

const step: fc.Arbitrary<Step> = fc
  .tuple(address, address, fc.boolean())
  .map(([a, b, forks]) => ({ start: a < b ? a : b, last: a < b ? b : a, forks }))

function insert(maps: MemoryMaps, { start, last }: Step, map: number): void {
  const range = { startLo: lowHalf(start), startHi: highHalf(start), lastLo: lowHalf(last), lastHi: highHalf(last) }
  maps.insert(range, map)
}

test('finds the last map at an address, also after forks diverge', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.array(address, { minLength: 1, maxLength: 40 }),
      (steps, addresses) => {
        let maps = new MemoryMaps()
        const spaces = [{ maps, known: [] as { step: Step; map: number }[] }]
        for (const [map, one] of steps.entries()) {
          const current = spaces[spaces.length - 1]
          insert(current.maps, one, map)
          current.known.push({ step: one, map })
          if (!one.forks) continue
          // The parent changes again after the fork. This must not affect the child.
          maps = current.maps.fork()
          spaces.push({ maps, known: current.known.slice() })
          const again = { start: one.last, last: one.last, forks: false }
          insert(current.maps, again, 1000 + map)
          current.known.push({ step: again, map: 1000 + map })
        }
        for (const space of spaces) {
          for (const at of addresses) {
            const expected = space.known.findLast(({ step: { start, last } }) => start <= at && at <= last)?.map
            expect(space.maps.find(lowHalf(at), highHalf(at))).toBe(expected)
          }
        }
      },
    ),
  )
})

test('equal stamps imply equal content', () => {
  const maps = new MemoryMaps()
  const before = maps.stamp
  insert(maps, { start: 1n, last: 5n, forks: false }, 0)
  expect(maps.stamp).not.toBe(before)
  const fork = maps.fork()
  expect(fork.stamp).toBe(maps.stamp)
  insert(fork, { start: 9n, last: 9n, forks: false }, 1)
  expect(fork.stamp).not.toBe(maps.stamp)
  expect(new MemoryMaps().stamp).not.toBe(new MemoryMaps().stamp)
})

test('stays fast with twenty thousand maps in descending order', () => {
  const maps = new MemoryMaps()
  const count = 20_000
  for (let i = count; i > 0; i--) maps.insert({ startLo: i * 16, startHi: 0, lastLo: i * 16 + 7, lastHi: 0 }, i)
  expect(maps.find(16 * 5 + 3, 0)).toBe(5)
  expect(maps.find(16 * 5 + 9, 0)).toBeUndefined()
  expect(maps.find(16 * count, 0)).toBe(count)
})
