import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  deviations,
  judge,
  judgeDeviations,
  noiseOf,
  requestDeviations,
  shareMargin,
  varianceBetween,
} from './deviations.ts'

const share = (part: number, of: number) => ({ part, of })

describe('judge', () => {
  it('rates the same change as more significant with more samples', () => {
    expect(judge(share(0.1, 50), share(0.13, 50))).toBe('chance')
    expect(judge(share(0.1, 50_000), share(0.13, 50_000))).toBe('clear')
  })
})

describe('deviations', () => {
  it('follows the two-proportion z-test', () => {
    expect(deviations(share(0.1, 100), share(0.2, 100))).toBeCloseTo(1.98, 2)
  })

  it('adds the variance between runs to that of sampling', () => {
    // Runs of a side differ by 10 %, four on each side: a standard deviation of 7 % of the share remains.
    const between = varianceBetween(0.1, [4, 4])
    const [before, after] = [share(0.1, 1e9), share(0.11, 1e9)]
    expect(judgeDeviations(deviations(before, after))).toBe('clear')
    expect(deviations(before, after, between)).toBeCloseTo(0.01 / (0.105 * 0.1 * Math.SQRT1_2), 3)
    expect(judgeDeviations(deviations(before, after, between))).toBe('chance')
    expect(varianceBetween(0.1, [0, 4])).toBe(0)
  })

  it('returns zero if a side has no observations or both are zero', () => {
    expect([deviations(share(0, 0), share(1, 10)), deviations(share(0, 10), share(0, 10))]).toEqual([0, 0])
  })

  it('changes its sign if the sides are swapped', () => {
    const shares = fc.record({
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      of: fc.integer({ min: 0, max: 10_000 }),
    })
    fc.assert(
      fc.property(shares, shares, (a, b) => {
        expect(deviations(a, b)).toBeCloseTo(-deviations(b, a), 9)
      }),
    )
  })
})

it('compares samples per request by both numbers of requests', () => {
  const compared = (before: readonly [number, number], after: readonly [number, number]): number => {
    const [first, second] = [before, after].map(([samples, requests]) => {
      const perRequest = requests === 0 ? 0 : samples / requests
      return { value: perRequest, sum: perRequest, samples, requests }
    })
    return requestDeviations(first, second)
  }
  // The same rate in sets of different size is not a change.
  expect(compared([50, 500], [8, 80])).toBe(0)
  expect(judgeDeviations(compared([65, 500], [48, 78]))).toBe('clear')
  expect(judgeDeviations(compared([3, 5], [4, 5]))).toBe('chance')
  expect(compared([0, 0], [4, 5])).toBe(0)
})

it('compares values per request by the samples that they consist of', () => {
  const side = (value: number, samples: number, requests: number) => ({ value, sum: 1000, samples, requests })
  expect(requestDeviations(side(100, 500, 500), side(100, 80, 80))).toBe(0)
  expect(requestDeviations(side(130, 500, 500), side(615, 78, 78))).toBeCloseTo(9.011404, 5)
  // A sample of slow requests stands for more than one of fast requests. A function that costs the same in both has not changed.
  const [fast, slow] = [
    { sum: 150, samples: 1000, requests: 500 },
    { sum: 637, samples: 156, requests: 78 },
  ]
  expect(requestDeviations({ ...fast, value: 20 }, { ...slow, value: 20 })).toBe(0)
  expect(requestDeviations({ ...fast, value: 130 }, { ...slow, value: 617 })).toBeGreaterThan(10)
  // One sample of 40 ms in a single request is no evidence, however large it is.
  const [three, one] = [
    { sum: 20, samples: 3, requests: 3 },
    { sum: 40, samples: 1, requests: 1 },
  ]
  expect(judgeDeviations(requestDeviations({ ...three, value: 0 }, { ...one, value: 40 }))).toBe('chance')
  expect(requestDeviations({ ...side(0, 0, 5), sum: 0 }, { ...side(0, 0, 5), sum: 0 })).toBe(0)
})

describe('noiseOf', () => {
  it('shrinks with the number of observations of the smaller side', () => {
    expect(noiseOf({ before: 10_000, after: 10_000 })).toBeCloseTo(0.0212, 4)
    expect(noiseOf({ before: 100, after: 1_000_000 })).toBeCloseTo(0.15, 3)
    expect(noiseOf({ before: 1, after: 1 })).toBe(1)
    expect(noiseOf({ before: 0, after: 10 })).toBe(0)
    expect(noiseOf({ before: 1e12, after: 1e12, between: 0.0001 })).toBeCloseTo(0.015, 5)
  })
})

describe('shareMargin', () => {
  it('is half the width of the interval of Wilson', () => {
    expect(shareMargin(share(0.5, 100))).toBeCloseTo(0.0962, 3)
    expect(shareMargin(share(0, 100))).toBeCloseTo(0.0185, 3)
    expect(shareMargin(share(0.1, 0))).toBe(1)
  })
})
