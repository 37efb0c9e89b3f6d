import type { AttributeValue, SeriesResponse } from '@hearth/client'
import { expect, test } from 'vitest'
import { seriesLines } from './series-lines.ts'

const SECOND = 1_000_000_000n
const START = 1_700_000_000n * SECOND

function response(groups: readonly (readonly [AttributeValue, Readonly<Record<number, number>>])[]): SeriesResponse {
  return {
    type: 'cpu',
    unit: 'ns',
    temporality: 'delta',
    profiles: 1,
    clamped: false,
    from: '0',
    to: '0',
    notes: [],
    step: String(SECOND),
    aggregation: 'sum',
    groupBy: ['host'],
    overflow: false,
    groups: groups.map(([label, values]) => ({
      labels: [label],
      exemplars: [],
      points: Object.entries(values).map(([step, seconds]) => ({
        time: String(START + BigInt(step) * SECOND),
        value: seconds * 1e9,
        sum: String(BigInt(seconds) * SECOND),
        profiles: 1,
      })),
    })),
  }
}

test('seriesLines shows the largest group first, with gaps where there is no data', () => {
  const lines = seriesLines(
    response([
      [{ intValue: '7' }, { 0: 1 }],
      [{}, { 0: 7, 1: 3, 4: 0 }],
    ]),
    10,
    undefined,
  )
  expect(lines).toEqual([
    'from 2023-11-14T22:13:20Z in steps of 1.00 s',
    '',
    'HOST     SUM    PEAK  OVER TIME',
    '-     10.0 s  7.00 s  █▄  ▁',
    '7     1.00 s  1.00 s  ▂',
  ])
})

test('seriesLines merges steps into cells by their maximum', () => {
  const values = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [i, i === 305 ? 8 : 0]))
  const [, , , row] = seriesLines(response([[{ stringValue: 'a\u001b[0m' }, values]]), 10, undefined)
  expect(row).toContain(`  ${'▁'.repeat(30)}█${'▁'.repeat(29)}`)
  expect(row).not.toContain('\u001b')
})

test('seriesLines handles the maximum number of points', () => {
  const values = Object.fromEntries(Array.from({ length: 11_000 }, (_, i) => [i, 1]))
  const groups = Array.from({ length: 20 }, (_, i) => [{ intValue: String(i) }, values] as const)
  const lines = seriesLines(response(groups), 5, 80)
  expect(lines.at(-1)).toBe('and 15 groups more (-n 20 shows all)')
})
