import type { CallTree } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { perRequest } from './per-request.ts'

describe('perRequest', () => {
  it('divides each side by its number of requests', () => {
    const tree = {
      self: Float64Array.of(0, 1234),
      total: Float64Array.of(1234, 1234),
      sum: 1234n,
      before: { self: Float64Array.of(0, 6500), total: Float64Array.of(6500, 6500), sum: 6500n },
    } as unknown as CallTree
    const { self, sum, before } = perRequest(tree, { before: 50, after: 2 })
    expect([[...self], sum]).toEqual([[0, 617], 617n])
    expect([[...(before?.total ?? [])], before?.sum]).toEqual([[130, 130], 130n])
  })

  it('divides exact values of more than 2^53', () => {
    const exact = BigInt64Array.of(2n ** 60n)
    const tree = {
      self: Float64Array.of(0),
      total: Float64Array.of(0),
      selfExact: exact,
      totalExact: exact,
      sum: 2n ** 60n,
    }
    const result = perRequest(tree as unknown as CallTree, { before: 1, after: 4 })
    expect([result.self[0], result.selfExact, result.before]).toEqual([2 ** 58, undefined, undefined])
  })
})
