import type { SeriesResponse } from '@hearth/client'
import { expect, it } from 'vitest'
import { stepDivisors } from './step-divisors.ts'

it('divides the requests of a range evenly among the steps with data', () => {
  const points = ['0', '15000000000'].map(time => ({ time, value: 1, sum: '1', profiles: 1 }))
  const group = { labels: [], points, exemplars: [] } as SeriesResponse['groups'][number]
  const divisors = stepDivisors(
    { step: '15000000000', groups: [group, group] },
    { seconds: 30, requests: 60, cores: 2 },
    9,
  )
  expect(divisors).toEqual({ seconds: 15, requests: 30, cores: 2, total: 9 })
})
