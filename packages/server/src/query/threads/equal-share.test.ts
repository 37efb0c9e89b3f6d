import { describe, expect, it } from 'vitest'
import { equalShare } from './query-threads.ts'

describe('equalShare', () => {
  it('lets one thread have everything until all together exceed the limit', () => {
    expect(equalShare([90, 0, 5], 100).exceeding).toEqual([])
    expect(equalShare([90, 0, 20], 100)).toEqual({ size: 50, exceeding: [0] })
    expect(equalShare([60, 55, 0], 100)).toEqual({ size: 50, exceeding: [0, 1] })
  })
})
