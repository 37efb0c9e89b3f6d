import { describe, expect, it } from 'vitest'
import { rateChange, wholeSteps } from './rate-change.ts'

describe('rateChange', () => {
  it('returns the ratio with an interval around it', () => {
    const change = rateChange([10, 11, 9, 10, 10], [13, 12, 14, 13, 13])
    expect(change?.ratio).toBeCloseTo(0.3)
    expect(change!.low!).toBeGreaterThan(0.15)
    expect(change!.high!).toBeLessThan(0.45)
  })

  it('has a wide interval for noisy steps', () => {
    const change = rateChange([1, 20, 3, 16], [30, 2, 4, 20])
    expect(change!.low!).toBeLessThan(0)
    expect(change!.high!).toBeGreaterThan(0)
  })

  it('states no interval for few steps, and no change without a baseline', () => {
    expect(rateChange([2, 2], [3, 3])).toEqual({ ratio: 0.5 })
    expect(rateChange([], [3, 3])).toBeUndefined()
    expect(rateChange([0, 0, 0, 0], [3, 3, 3, 3])).toBeUndefined()
    expect(rateChange([3, 3, 3, 3], [0, 0, 0, 0])).toEqual({ ratio: -1 })
  })
})

describe('wholeSteps', () => {
  it('drops the ends of a list if something remains', () => {
    expect(wholeSteps([1, 5, 5, 5, 5, 2])).toEqual([5, 5, 5, 5])
    expect(wholeSteps([1, 5, 2])).toEqual([5])
    expect(wholeSteps([1, 5])).toEqual([1, 5])
  })
})
