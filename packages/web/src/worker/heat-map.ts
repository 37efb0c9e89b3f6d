// The heat map of a file's observations.
import type { HeatMap, Profiles } from '@hearth/profile'
import { heatMap, observedSpan } from '@hearth/profile'
import { limitedColumn } from '../timeline/heat-map-columns.ts'
import type { HeatMapChoice } from './results.ts'
import { busySamples } from './busy-samples.ts'

export function heatMapOf(
  profiles: Profiles,
  selection: readonly number[],
  { column, rows, busy }: HeatMapChoice,
): HeatMap {
  const span = observedSpan(profiles, selection)
  return heatMap(profiles, selection, {
    column: span === undefined ? column : limitedColumn(column, span.last - span.first),
    rows,
    ...(busy ? { samples: busySamples(profiles) } : {}),
  })
}
