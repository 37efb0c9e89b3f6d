import type { SeriesResponse } from '@hearth/client'
import { formatValue } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { breakdownOf, filterOf, preferredKey, unitOfRow } from './breakdown-rows.ts'

const point = (time: string, sum: number) => ({ time, value: sum, sum: String(sum), profiles: 1 })
const response = {
  unit: 'ns',
  step: '10',
  groups: [
    { labels: [{ stringValue: 'eu' }], points: [point('100', 3), point('120', 4)], exemplars: [] },
    { labels: [{}], points: [point('110', 9)], exemplars: [] },
  ],
} as unknown as SeriesResponse

describe('breakdownOf', () => {
  const { rows, sum } = breakdownOf(response, 100n, 130n)

  it('sorts values by their sum', () => {
    expect(rows.map(({ text, sum: of, isAbsent }) => [text, of, isAbsent])).toEqual([
      ['', 9n, true],
      ['eu', 7n, false],
    ])
    expect(sum).toBe(16n)
  })

  it('places the sum of each step', () => {
    expect(rows[1].steps).toEqual([3, undefined, 4])
  })

  it('selects a value, or the profiles without the attribute', () => {
    expect(filterOf('region', rows[1])).toEqual({ key: 'region', operator: '=', value: 'eu' })
    expect(filterOf('region', rows[0])).toEqual({ key: 'region', operator: 'absent', value: '' })
  })
})

describe('preferredKey', () => {
  it('prefers attributes that divide the data usefully', () => {
    expect(preferredKey(['host.name', 'process.pid', 'service.version'])).toBe('service.version')
    expect(preferredKey(['zone'])).toBe('zone')
    expect(preferredKey([])).toBe('')
  })
})

describe('unitOfRow', () => {
  const breakdown = breakdownOf(response, 100n, 130n)
  const row = breakdown.rows[1]

  it('divides all values by the same requests, or each by its own', () => {
    const shown = (requests?: ReadonlyMap<string, number>): string | undefined => {
      const unit = unitOfRow(row, breakdown, 'request', { requests: 14 }, requests)
      return unit && formatValue(row.sum * 1000n, unit)
    }
    expect(shown()).toBe('500 ns/request')
    expect(shown(new Map([['eu', 7]]))).toBe('1.00 µs/request')
    expect(shown(new Map([['us', 7]]))).toBeUndefined()
  })
})
