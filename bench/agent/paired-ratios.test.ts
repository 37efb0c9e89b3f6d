import { describe, expect, it } from 'vitest'
import { randomFrom } from '../library/inputs.ts'
import { estimate } from './paired-ratios.ts'

/** Ratios around `center` with a deviation of about 3 %. */
function drawn(count: number, center: number, random: () => number): number[] {
  return Array.from({ length: count }, () => center * Math.exp(0.06 * (random() + random() + random() - 1.5)))
}

describe('estimate', () => {
  it('returns the only value of equal ratios', () => {
    const { ratio, from, to } = estimate(new Array<number>(30).fill(1.02))
    for (const value of [ratio, from, to]) expect(value).toBeCloseTo(1.02, 10)
  })

  it('contains the true ratio in about 95 % of all series', () => {
    const random = randomFrom(7)
    const hits = Array.from({ length: 1000 }, () => estimate(drawn(30, 1.02, random))).filter(
      ({ from, to }) => from <= 1.02 && 1.02 <= to,
    )
    expect(hits.length).toBeGreaterThan(930)
    expect(hits.length).toBeLessThan(970)
  })

  it('hardly moves with a spoiled pair', () => {
    const ratios = drawn(30, 1.02, randomFrom(3))
    const [clean, spoiled] = [estimate(ratios), estimate([...ratios.slice(1), 4])]
    expect(Math.abs(spoiled.ratio - clean.ratio)).toBeLessThan(0.005)
  })

  it('rejects fewer than six pairs', () => {
    expect(() => estimate([1, 1, 1, 1, 1])).toThrow('5 pairs are too few for a confidence interval; measure at least 6')
  })
})
