import { describe, expect, it } from 'vitest'
import type { CallTree } from '../tree/call-tree.ts'
import { perRequest, scaledBaseline } from './per-request.ts'

describe('perRequest', () => {
  it('divides the scaled baseline and the slow requests by the number of slow requests', () => {
    // 2 slow requests of 617 ms; 50 fast ones of 130 ms each, which the server scaled to 2.
    const tree = {
      self: Float64Array.of(0, 1234),
      total: Float64Array.of(1234, 1234),
      sum: 1234n,
      before: { self: Float64Array.of(0, 260), total: Float64Array.of(260, 260), sum: 260n },
    } as unknown as CallTree
    const { self, sum, before } = perRequest(tree, 2)
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
    const result = perRequest(tree as unknown as CallTree, 4)
    expect([result.self[0], result.selfExact, result.before]).toEqual([2 ** 58, undefined, undefined])
  })
})

describe('scaledBaseline', () => {
  it('multiplies the values before and keeps those after', () => {
    const side = { self: Float64Array.of(0, 30), total: Float64Array.of(30, 30), sum: 30n }
    const tree = { ...side, before: side } as unknown as CallTree
    const { total, before } = scaledBaseline(tree, 2)
    expect([[...total], [...(before?.total ?? [])], before?.sum]).toEqual([[30, 30], [60, 60], 60n])
  })
})
