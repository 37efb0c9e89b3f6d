import type { SeriesResponse } from '@hearth/client'
import { expect, it } from 'vitest'
import { stepDivisors } from './step-divisors.ts'

/** A series of the seconds with a profile, in steps of 15 s. */
function series(seconds: readonly number[]): SeriesResponse {
  const points = seconds.map(second => ({ time: `${second}000000000`, value: 1, sum: '1', profiles: 1 }))
  const group = { labels: [], points, exemplars: [] }
  return { step: '15000000000', aggregation: 'sum', groups: [group, group] } as unknown as SeriesResponse
}

it('divides the requests of a range evenly among the steps with data', () => {
  const divisors = stepDivisors(series([0, 15]), { seconds: 30, requests: 60, cores: 2 }, 9)
  expect(divisors).toEqual({ seconds: 15, requests: 30, cores: 2, total: 9 })
})

it('uses the steps of the chart, which are as long as the pause between two profiles', () => {
  const divisors = stepDivisors(series([0, 30, 60, 90]), { requests: 60 }, 9)
  expect(divisors).toEqual({ seconds: 30, requests: 15, total: 9 })
})
