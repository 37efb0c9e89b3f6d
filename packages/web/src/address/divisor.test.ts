import { formatValue } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { coveredSeconds, divisorOf, unitPer } from './divisor.ts'

describe('divisorOf', () => {
  it('needs cores for values per core and requests for values per request', () => {
    expect(divisorOf('core', { seconds: 60 })).toBeUndefined()
    expect(divisorOf('core', { seconds: 60, cores: 4 })).toBe(240)
    expect(divisorOf('request', { seconds: 60 })).toBeUndefined()
    expect(divisorOf('request', { requests: 12 })).toBe(12)
    expect(divisorOf('total', {})).toBe(1)
  })
})

describe('unitPer', () => {
  it('shows the same sum in each normalisation', () => {
    const divisors = { seconds: 60, cores: 4, requests: 120, total: 240_000_000_000 }
    const text = (per: Parameters<typeof unitPer>[1]): string =>
      formatValue(120_000_000_000n, unitPer('ns', per, divisors))
    expect(text('total')).toBe('2.00 min')
    expect(text('second')).toBe('2 cores')
    expect(text('core')).toBe('50.0% of a core')
    expect(text('request')).toBe('1.00 s/request')
    expect(text('share')).toBe('50.0%')
  })

  it('shows the total if the data has no divisor', () => {
    expect(formatValue(5_000_000_000n, unitPer('ns', 'request', {}))).toBe('5.00 s')
  })
})

describe('coveredSeconds', () => {
  const range = { from: 0, to: 3_600_000 }
  const times = (
    from: number,
    to: number,
    profiles: number,
    series = 1,
  ): Parameters<typeof coveredSeconds>[0][number] => ({
    first: BigInt(from) * 1_000_000_000n,
    last: BigInt(to) * 1_000_000_000n,
    profiles,
    series,
  })

  it('ends after the last profile, and never after the range', () => {
    expect(coveredSeconds([times(600, 1190, 60)], range)).toBe(600)
    expect(coveredSeconds([times(0, 3599, 3600)], range)).toBe(3600)
    expect(coveredSeconds([times(600, 1190, 120, 2)], range)).toBe(600)
  })

  it('is the range if nothing is known', () => {
    expect(coveredSeconds([], range)).toBe(3600)
    expect(coveredSeconds([times(600, 600, 1)], range)).toBe(3600)
  })
})
