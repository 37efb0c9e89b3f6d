import { describe, expect, it } from 'vitest'
import { cellAt, cellBoxes, densityEnds } from './density-cells.ts'
import { dotScale } from './duration-dots.ts'

const density = {
  stepMs: 10,
  rowsPerDecade: 10,
  traces: 101,
  cells: [
    { column: 0, row: 60, traces: 100, errors: 0 },
    { column: 9, row: 79, traces: 1, errors: 1 },
  ],
}
const scale = dotScale(densityEnds(density), { from: 0, to: 100 }, 100, 200)

describe('cellBoxes', () => {
  it('covers the range of times and durations', () => {
    const [first, last] = cellBoxes(scale, density)
    expect([scale.min, scale.max]).toEqual([1e6, 1e8])
    expect(first).toMatchObject({ x: 0, width: 10, strength: 1, hasErrors: false })
    expect(first.y + first.height).toBeCloseTo(200)
    expect(last).toMatchObject({ x: 90, hasErrors: true })
    expect(last.y).toBeCloseTo(0)
    expect(last.strength).toBeGreaterThan(0.1)
  })

  it('finds the cell at a position', () => {
    expect(cellAt(scale, density, 5, 199)?.traces).toBe(100)
    expect(cellAt(scale, density, 50, 100)).toBeUndefined()
  })

  it('has no ends without cells', () => {
    expect(densityEnds({ ...density, cells: [] })).toEqual([])
  })
})
