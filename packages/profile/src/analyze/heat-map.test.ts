// Compares heat maps with a naive implementation of FlameScope's rules that uses bigints.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../model/build/builder.ts'
import { heatMap, observedSpan } from './heat-map.ts'
import { SECOND, profileOfTimed, timedSample } from '../model/testing/timed-samples.ts'

describe('heatMap', () => {
  test('counts the observations in each cell', () => {
    fc.assert(
      fc.property(
        fc.array(timedSample, { minLength: 1, maxLength: 10 }),
        fc.constantFrom(SECOND / 10n, SECOND, 7n * SECOND),
        fc.constantFrom(1, 10, 49, 50, 99),
        (samples, column, rows) => {
          const map = heatMap(profileOfTimed(samples), 0, { column, rows })
          const count = new Float64Array(map.columns * rows)
          const value = new Float64Array(map.columns * rows)
          for (const { times, values } of samples) {
            for (const [k, time] of times.entries()) {
              const x = Number((time - map.origin) / column)
              const cell = x * rows + Number(((time % column) * BigInt(rows)) / column)
              count[cell]++
              value[cell] += values.length === 0 ? 1 : Number(values[k])
            }
          }
          expect([map.count, map.value]).toEqual([count, value])
          if (map.columns > 0) {
            expect(map.origin % column).toBe(0n)
            // The first and the last column are not empty.
            const sums = (from: number) => map.count.slice(from, from + rows).reduce((a, b) => a + b, 0)
            expect(sums(0)).toBeGreaterThan(0)
            expect(sums(map.count.length - rows)).toBeGreaterThan(0)
          }
        },
      ),
    )
  })

  test('is exact to the nanosecond for times that are years apart', () => {
    const hour = 3600n * SECOND
    const last = 2n ** 63n + hour * 5n
    const map = heatMap(profileOfTimed([{ times: [7n, last - (last % hour) - 1n], values: [] }]), 0, {
      column: hour * 24n * 365n,
      rows: 100,
    })
    expect(map.count[0]).toBe(1)
    expect(map.count.reduce((a, b) => a + b, 0)).toBe(2)
    const near = heatMap(profileOfTimed([{ times: [0n, 5_000n * hour - 1n], values: [] }]), 0, {
      column: hour,
      rows: 50,
    })
    expect([near.columns, near.count.at(-1)]).toEqual([5000, 1])
  })

  test('has no columns without times, and rejects too many columns', () => {
    const b = new ProfilesBuilder()
    b.profile({ type: 'cpu', unit: 'ns' })
    b.sample({ stack: b.stack([]), values: [5] })
    expect(heatMap(b.build(), 0)).toMatchObject({ columns: 0, origin: 0n })
    expect(observedSpan(b.build(), [0])).toBeUndefined()
    const far = profileOfTimed([{ times: [0n, 100n * SECOND], values: [] }])
    expect(() => heatMap(far, 0, { maxColumns: 50 })).toThrow(RangeError)
  })

  test('counts only the selected samples', () => {
    const profiles = profileOfTimed([
      { times: [1n], values: [] },
      { times: [2n, 3n], values: [] },
    ])
    expect(heatMap(profiles, 0, { samples: i => i === 1 }).value[0]).toBe(2)
  })
})
