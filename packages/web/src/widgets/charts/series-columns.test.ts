import type { SeriesResponse } from '@hearth/client'
import { describe, expect, it } from 'vitest'
import { seriesColumns, withLongerSteps } from './series-columns.ts'

const SECOND = 1_000_000_000n

/** Points as seconds and values, in steps of five seconds. */
function series(...groups: readonly (readonly (readonly [second: number, value: number])[])[]): SeriesResponse {
  return {
    step: String(5n * SECOND),
    type: 'cpu',
    unit: 'ns',
    aggregation: 'sum',
    profiles: 1,
    groups: groups.map((points, i) => ({
      labels: [],
      exemplars: [],
      points: points.map(([second, value]) => ({
        time: String(BigInt(second) * SECOND),
        value,
        sum: String(value),
        profiles: 1,
      })),
      key: String(i),
    })),
  } as unknown as SeriesResponse
}

describe('withLongerSteps', () => {
  it('joins steps that are shorter than the pause between profiles', () => {
    const response = series([
      [0, 3],
      [5, 0],
      [10, 4],
      [20, 5],
      [25, 0],
    ])
    const { times, lines, stepMs } = seriesColumns(response)
    expect(stepMs).toBe(10_000)
    expect(times).toEqual([0, 10, 20])
    expect(lines[0].values).toEqual([3, 4, 5])
  })

  it('uses the longest pause of all groups', () => {
    const fast = [0, 5, 10, 15].map(second => [second, 1] as const)
    const slow = [0, 15, 30].map(second => [second, 9] as const)
    const { lines } = seriesColumns(series(fast, slow))
    expect(lines[0].values).toEqual([9, 9, 9])
    expect(lines[1].values).toEqual([3, 1, undefined])
  })

  it('keeps steps that every profile fills, and snapshots', () => {
    const full = series([0, 5, 10].map(second => [second, 1] as const))
    expect(withLongerSteps(full)).toBe(full)
    const snapshots = { ...series([0, 20, 40].map(second => [second, 1] as const)), snapshots: 'average' } as const
    expect(withLongerSteps(snapshots)).toBe(snapshots)
  })
})
