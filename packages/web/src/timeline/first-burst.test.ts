import { describe, expect, it } from 'vitest'
import type { CallTree } from '@hearth/profile'
import { treeOfFolded } from '../../../profile/src/analyze/testing/tree-of.ts'
import { firstBurst } from './first-burst.ts'

/** Calls of one level: start and duration in seconds. */
function chart(whole: number, ...calls: readonly (readonly [start: number, duration: number])[]): CallTree {
  const tree = treeOfFolded(calls.map((_, i) => `f${i} 1`).join('\n'))
  return {
    ...tree,
    total: Float64Array.from(calls, ([, duration]) => duration * 1e9),
    times: { start: Float64Array.from(calls, ([start]) => start * 1e9), whole: whole * 1e9 },
  }
}

describe('firstBurst', () => {
  it('finds the first calls of a sparse range', () => {
    const burst = firstBurst(chart(3600, [100, 2], [102.5, 7.5], [1800, 5]))
    expect(burst?.from).toBeCloseTo(99.8e9)
    expect(burst?.until).toBeCloseTo(110.2e9)
  })

  it('leaves a range alone that is readable as a whole', () => {
    expect(firstBurst(chart(10, [0, 5], [7, 3]))).toBeUndefined()
    expect(firstBurst(chart(4, [1, 0.5]))).toBeUndefined()
    expect(firstBurst(treeOfFolded('a 1'))).toBeUndefined()
  })
})
