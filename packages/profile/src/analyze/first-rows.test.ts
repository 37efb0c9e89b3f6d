import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstRows } from './first-rows.ts'

describe('firstRows', () => {
  it('returns the start of the sorted rows', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), fc.nat(12), (values, limit) => {
        const rows = Uint32Array.from(values.keys())
        const compare = (a: number, b: number): number => values[b] - values[a] || a - b
        expect(firstRows(rows, limit, compare)).toEqual(rows.slice().sort(compare).slice(0, limit))
      }),
    )
  })

  it('compares few rows more than once', () => {
    const rows = Uint32Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 100_003)
    let comparisons = 0
    firstRows(rows, 10, (a, b) => {
      comparisons++
      return a - b
    })
    expect(comparisons).toBeLessThan(102_000)
  })
})
