// Converts the server's heat map, which contains only non-empty cells, to one with all cells.
import type { HeatMapColumns } from '@hearth/client'
import type { HeatMapResponse } from './profile-source.ts'

export function denseHeatMap(response: HeatMapColumns): HeatMapResponse {
  const { rows, x, y, type, unit } = response
  // Cells are in order, so the last cell is in the last column. Columns before the first cell are omitted.
  const first = x.length === 0 ? 0 : x[0]
  const columns = x.length === 0 ? 0 : x[x.length - 1] - first + 1
  const count = new Float64Array(columns * rows)
  const value = new Float64Array(columns * rows)
  for (let i = 0; i < x.length; i++) {
    const cell = (x[i] - first) * rows + y[i]
    count[cell] = response.count[i]
    value[cell] = response.value[i]
  }
  const column = BigInt(response.column)
  return { origin: BigInt(response.origin) + BigInt(first) * column, column, rows, columns, count, value, type, unit }
}
