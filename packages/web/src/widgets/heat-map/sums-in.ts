// The total of the cells in a range.
import type { HeatMapResponse } from '../../api/profile-source.ts'
import { cellsIn } from '../../draw/heat-map/heat-map.ts'
import type { HeatRange } from '../../address/heat-view.ts'

export function sumsIn(map: HeatMapResponse, range: HeatRange): { readonly count: number; readonly value: number } {
  const [first, last] = cellsIn(map, range) ?? [0, -1]
  let count = 0
  let value = 0
  for (let cell = first; cell <= last; cell++) {
    count += map.count[cell]
    value += map.value[cell]
  }
  return { count, value }
}
