import { expect, test } from 'vitest'
import { joinTops } from './join-tops.ts'
import { framesOfRows } from './tree/frame-table.ts'

function top(
  unit: string,
  rows: readonly (readonly [name: string, file: string, self: number, total: number])[],
): Parameters<typeof joinTops>[0] {
  return {
    length: rows.length,
    frames: framesOfRows(rows.map(([name, file]) => ({ name, file }))),
    frame: Uint32Array.from(rows, (_, i) => i),
    self: Float64Array.from(rows, row => row[2]),
    total: Float64Array.from(rows, row => row[3]),
    sum: rows.reduce((sum, row) => sum + BigInt(row[2]), 0n),
    unit,
  }
}

test('joinTops matches functions by name and file', () => {
  const joined = joinTops(
    top('ns', [
      ['run', 'a.ts', 3, 5],
      ['run', 'b.ts', 1, 1],
    ]),
    top('ns', [
      ['run', 'a.ts', 4, 4],
      ['stop', '', 2, 2],
    ]),
  )
  expect(
    joined.rows.map(row => [row.name, row.file, row.beforeSelf, row.afterSelf, row.beforeTotal, row.afterTotal]),
  ).toEqual([
    ['run', 'a.ts', 3, 4, 5, 4],
    ['run', 'b.ts', 1, 0, 1, 0],
    ['stop', '', 0, 2, 0, 2],
  ])
  expect([joined.unit, joined.beforeSum, joined.afterSum]).toEqual(['ns', 4, 6])
})

test('joinTops takes the unit from the other side if one is empty', () => {
  expect(joinTops(top('By', [['f', '', 1, 1]]), top('', []))).toMatchObject({ unit: 'By', afterSum: 0 })
})
