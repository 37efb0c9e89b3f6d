import type { MetricRow } from '@hearth/client'
import { describe, expect, it } from 'vitest'
import { firstMetric } from './first-metric.ts'

const metric = (name: string, points: number) => ({ name, points }) as MetricRow

describe('firstMetric', () => {
  it('prefers the duration of requests', () => {
    const rows = [metric('a.gauge', 500), metric('http.server.request.duration', 20)]
    expect(firstMetric(rows)?.name).toBe('http.server.request.duration')
  })

  it('prefers metrics with more points, and those with two at least', () => {
    expect(firstMetric([metric('a', 1), metric('b', 7), metric('c', 9)])?.name).toBe('c')
    expect(firstMetric([metric('http.server.request.duration', 1), metric('b', 7)])?.name).toBe('b')
    expect(firstMetric([])).toBeUndefined()
  })
})
