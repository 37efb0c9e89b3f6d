// Tests cells of a heat map by FlameScope's rules: a column per second, rows from the bottom up, ranges in time order
// that include their last cell.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HeatGrid } from './heat-map.ts'
import { boxesOf, cellAt, cellOn, cellSize, cellStart, cellWithin, cellsIn, rangeOf, cellAfterKey } from './heat-map.ts'

const SECOND = 1_000_000_000n

const grids: fc.Arbitrary<HeatGrid> = fc
  .record({
    first: fc.bigInt({ min: 0n, max: 2n ** 61n }),
    column: fc.constantFrom(SECOND / 10n, SECOND, 10n * SECOND, 60n * SECOND, 3600n * SECOND),
    rows: fc.constantFrom(10, 25, 49, 50, 99, 100),
    columns: fc.integer({ min: 1, max: 4000 }),
  })
  .map(({ first, column, ...rest }) => ({ origin: first - (first % column), column, ...rest }))
const withCell = grids.chain(grid =>
  fc.record({ grid: fc.constant(grid), cell: fc.nat({ max: grid.columns * grid.rows - 1 }) }),
)

describe('cellAt, cellStart and rangeOf', () => {
  test('counts rows from the bottom, where FlameScope counts from the top', () => {
    const grid = { origin: 0n, column: SECOND, rows: 50, columns: 100 }
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 100n * SECOND - 1n }), time => {
        const theirs = 50 - Number((50n * (time % SECOND)) / SECOND) - 1
        const cell = cellAt(grid, time)
        expect(Math.floor(cell / 50)).toBe(Number(time / SECOND))
        expect(cell % 50).toBe(50 - 1 - theirs)
      }),
    )
  })

  test('starts a cell at its first nanosecond', () => {
    fc.assert(
      fc.property(withCell, ({ grid, cell }) => {
        const start = cellStart(grid, cell)
        expect(cellAt(grid, start)).toBe(cell)
        expect(cellAt(grid, start - 1n)).toBe(cell - 1)
        expect(cellWithin(grid, start)).toBe(cell)
        expect(cellWithin(grid, grid.origin - 1n)).toBeUndefined()
        expect(cellWithin(grid, grid.origin + BigInt(grid.columns) * grid.column)).toBeUndefined()
        expect(cellStart(grid, cell + grid.rows) - start).toBe(grid.column)
      }),
    )
  })

  test('includes both cells in a range, whichever was first', () => {
    fc.assert(
      fc.property(withCell, fc.nat(), ({ grid, cell }, n) => {
        const other = n % (grid.columns * grid.rows)
        const range = rangeOf(grid, cell, other)
        expect(range).toEqual(rangeOf(grid, other, cell))
        expect(cellsIn(grid, range)).toEqual([Math.min(cell, other), Math.max(cell, other)])
      }),
    )
  })

  test('limits ranges of another map to the grid', () => {
    const grid = { origin: 10n * SECOND, column: SECOND, rows: 10, columns: 5 }
    expect(cellsIn(grid, { from: 0n, until: 11n * SECOND })).toEqual([0, 9])
    expect(cellsIn(grid, { from: 14n * SECOND, until: 99n * SECOND })).toEqual([40, 49])
    expect(cellsIn(grid, { from: 15n * SECOND, until: 16n * SECOND })).toBeUndefined()
    expect(cellsIn(grid, { from: 0n, until: 10n * SECOND })).toBeUndefined()
  })
})

describe('cellOn and boxesOf', () => {
  test('finds every cell where it is drawn', () => {
    fc.assert(
      fc.property(withCell, fc.integer({ min: 100, max: 4000 }), ({ grid, cell }, width) => {
        const size = cellSize(grid, width)
        const [box] = boxesOf(grid, size, cell, cell)
        expect(cellOn(grid, size, box.x, box.y)).toBe(cell)
        expect(cellOn(grid, size, box.x + box.width - 1, box.y + box.height - 1)).toBe(cell)
      }),
    )
  })

  test('finds no cell outside of the map', () => {
    const grid = { origin: 0n, column: SECOND, rows: 10, columns: 5 }
    const size = { width: 8, height: 8 }
    expect(cellOn(grid, size, 40, 8)).toBeUndefined()
    expect(cellOn(grid, size, 8, 80)).toBeUndefined()
    expect(cellOn(grid, size, -1, 8)).toBeUndefined()
  })

  test('draws a range in time order', () => {
    const grid = { origin: 0n, column: SECOND, rows: 3, columns: 4 }
    const size = { width: 10, height: 10 }
    expect(boxesOf(grid, size, 1, 10)).toEqual([
      { x: 0, y: 0, width: 10, height: 20 },
      { x: 10, y: 0, width: 20, height: 30 },
      { x: 30, y: 10, width: 10, height: 20 },
    ])
    fc.assert(
      fc.property(withCell, fc.nat(), ({ grid: any, cell }, n) => {
        const other = n % (any.columns * any.rows)
        const [first, last] = [Math.min(cell, other), Math.max(cell, other)]
        const area = boxesOf(any, { width: 1, height: 1 }, first, last).reduce((sum, b) => sum + b.width * b.height, 0)
        expect(area).toBe(last - first + 1)
      }),
    )
  })
})

test('walk moves in time order and stays within the grid', () => {
  const grid = { origin: 0n, column: SECOND, rows: 10, columns: 30 }
  expect(cellAfterKey(grid, 9, 'ArrowUp', false)).toBe(10)
  expect(cellAfterKey(grid, 9, 'ArrowRight', false)).toBe(19)
  expect(cellAfterKey(grid, 9, 'ArrowRight', true)).toBe(109)
  expect(cellAfterKey(grid, 9, 'ArrowLeft', false)).toBe(0)
  expect(cellAfterKey(grid, 0, 'ArrowDown', false)).toBe(0)
  expect(cellAfterKey(grid, 12, 'End', false)).toBe(292)
  expect(cellAfterKey(grid, 12, 'PageUp', false)).toBe(19)
  expect(cellAfterKey(grid, 12, 'x', false)).toBeUndefined()
})
