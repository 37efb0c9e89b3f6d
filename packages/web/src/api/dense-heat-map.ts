// The server's heat map, which has only cells that are not empty, as the views have it: with all of them.
import type { HeatMapColumns } from '@hearth/client'
import type { HeatMapResponse } from './profile-source.ts'

export function denseHeatMap(answer: HeatMapColumns): HeatMapResponse {
  const { rows, x, y, type, unit } = answer
  // In order, so the last cell is in the last column; what came before the first one is left out with its columns.
  const first = x.length === 0 ? 0 : x[0]
  const columns = x.length === 0 ? 0 : x[x.length - 1] - first + 1
  const count = new Float64Array(columns * rows)
  const value = new Float64Array(columns * rows)
  for (let i = 0; i < x.length; i++) {
    const cell = (x[i] - first) * rows + y[i]
    count[cell] = answer.count[i]
    value[cell] = answer.value[i]
  }
  const column = BigInt(answer.column)
  return { origin: BigInt(answer.origin) + BigInt(first) * column, column, rows, columns, count, value, type, unit }
}
