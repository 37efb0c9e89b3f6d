import type { MetricSeriesResponse } from '@hearth/client'
import { describe, expect, it } from 'vitest'
import { bucketGrid } from './bucket-grid.ts'
import { exemplarAt, metricColumns, quantileText } from './metric-columns.ts'

const SECOND = 1_000_000_000n
const at = (seconds: number): string => String(1_790_000_000n * SECOND + BigInt(seconds) * SECOND)

function response(change: Partial<MetricSeriesResponse>): MetricSeriesResponse {
  return {
    name: 'latency',
    unit: 'ms',
    kind: 'histogram',
    temporality: 'delta',
    monotonic: false,
    description: '',
    step: String(60n * SECOND),
    aggregation: 'rate',
    groupBy: [],
    quantiles: [],
    groups: [],
    ...change,
  }
}

describe('metricColumns', () => {
  it('returns one line per group, with gaps for missing points and NaN', () => {
    const columns = metricColumns(
      response({
        kind: 'gauge',
        groups: [
          {
            labels: [{ stringValue: 'a' }],
            points: [
              { time: at(0), value: 1 },
              { time: at(60), value: 'NaN' },
            ],
            exemplars: [],
          },
          { labels: [{ stringValue: 'b' }], points: [{ time: at(60), value: 3 }], exemplars: [] },
        ],
      }),
      'average',
    )
    expect(columns.times).toEqual([1_790_000_000, 1_790_000_060])
    expect(columns.lines.map(({ title, values }) => [title, ...values])).toEqual([
      ['a', 1, undefined],
      ['b', undefined, 3],
    ])
    expect([columns.unit, columns.per]).toEqual(['ms', undefined])
  })

  it('returns one line per quantile, the highest first', () => {
    const columns = metricColumns(
      response({
        quantiles: [0.5, 0.99],
        groups: [{ labels: [], points: [{ time: at(0), value: 9, quantiles: [1, 'none'] }], exemplars: [] }],
      }),
      'quantiles',
    )
    expect(columns.lines.map(({ title, values }) => [title, ...values])).toEqual([
      ['p99', undefined],
      ['p50', 1],
    ])
  })

  it('uses the unit of a sum for its rate and no unit for the rate of a distribution', () => {
    expect(metricColumns(response({}), 'rate')).toMatchObject({ unit: '', per: '/s' })
    expect(metricColumns(response({ kind: 'sum', unit: 'By' }), 'rate')).toMatchObject({ unit: 'By', per: '/s' })
    expect(metricColumns(response({ kind: 'sum', unit: 'By' }), 'count')).toMatchObject({ unit: '' })
  })

  it('places exemplars at their value or on their line, and omits those without a trace', () => {
    const exemplar = { time: at(30), value: { doubleValue: 7 }, traceId: 'aa', spanId: 'bb', attributes: [] }
    const given = response({
      quantiles: [0.5, 0.9],
      groups: [
        { labels: [], points: [], exemplars: [{ ...exemplar, traceId: '' }] },
        { labels: [], points: [], exemplars: [{ ...exemplar, traceId: '' }, exemplar] },
      ],
    })
    const [mark, ...rest] = metricColumns(given, 'quantiles').exemplars
    expect(rest).toEqual([])
    expect(mark).toMatchObject({ line: 2, value: 7, time: 1_790_000_030_000 })
    expect(exemplarAt(given, mark.key)).toBe(exemplar)
    expect(metricColumns(given, 'rate').exemplars[0]).toEqual({ key: mark.key, line: 1, time: mark.time })
  })
})

describe('quantileText', () => {
  it('writes p50, p99.9, min and max', () => {
    expect([0, 0.5, 0.999, 0.07, 1].map(quantileText)).toEqual(['min', 'p50', 'p99.9', 'p7', 'max'])
  })
})

describe('bucketGrid', () => {
  it('has one column per step, also for steps without a point', () => {
    const grid = bucketGrid(
      { step: String(60n * SECOND) },
      {
        cells: [
          { lower: '-Infinity', upper: 5 },
          { lower: 5, upper: 'Infinity' },
        ],
        points: [
          { time: at(120), buckets: [1, 2] },
          { time: at(0), buckets: [3, 4] },
        ],
      },
    )!
    expect([grid.columns, grid.rows, [...grid.counts]]).toEqual([3, 2, [3, 4, 0, 0, 1, 2]])
    expect([grid.lower, grid.upper]).toEqual([
      [-Infinity, 5],
      [5, Infinity],
    ])
  })

  it('merges hundreds of buckets without losing a value', () => {
    const cells = Array.from({ length: 325 }, (_, i) => ({ lower: i, upper: i + 1 }))
    const grid = bucketGrid({ step: '1' }, { cells, points: [{ time: '7', buckets: cells.map(() => 1) }] })!
    expect(grid.rows).toBe(65)
    expect(grid.counts.reduce((a, b) => a + b, 0)).toBe(325)
    expect([grid.lower[0], grid.upper.at(-1)]).toEqual([0, 325])
  })

  it('returns undefined for a group without buckets', () => {
    expect(bucketGrid({ step: '1' }, { points: [{ time: '7' }] })).toBeUndefined()
  })
})
