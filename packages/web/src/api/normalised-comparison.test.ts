import type { CallTree } from '@hearth/profile'
import { formatValue } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { NormalisedComparison } from './normalised-comparison.ts'
import type { DiffRow, TreeResult } from './profile-source.ts'
import type { ServerComparison } from './server-source.ts'

const { signal } = new AbortController()
const ROW: DiffRow = { name: 'work', file: '', beforeSelf: 40e9, afterSelf: 30e9, beforeTotal: 40e9, afterTotal: 30e9 }

/** 40 s before and 30 s after. */
function comparison(): ServerComparison {
  const side = (value: number) => ({ self: Float64Array.of(value), total: Float64Array.of(value), sum: BigInt(value) })
  const tree = { ...side(30e9), before: side(40e9), unit: 'ns' } as unknown as CallTree
  return {
    key: 'plain',
    before: { key: 'before' },
    after: { key: 'after' },
    tree: async () => ({ tree }) as TreeResult,
    rows: async () => ({ rows: [ROW], unit: 'ns', beforeSum: 40e9, afterSum: 30e9 }),
  } as unknown as ServerComparison
}

describe('NormalisedComparison', () => {
  const source = NormalisedComparison.of(comparison(), 'second', { before: { seconds: 80 }, after: { seconds: 20 } })

  it('divides each side by its own time', async () => {
    const { tree } = await source.tree('root-first', true, signal)
    expect([tree.before?.total[0], tree.total[0]]).toEqual([10e9, 30e9])
    const { rows, beforeSum, afterSum, unit } = await source.rows(signal)
    expect([rows[0].beforeSelf, rows[0].beforeTotal, rows[0].afterSelf, beforeSum, afterSum]).toEqual([
      10e9, 10e9, 30e9, 10e9, 30e9,
    ])
    expect(formatValue(beforeSum, unit)).toBe('0.5 cores')
  })

  it('keeps shares as they are', async () => {
    const { tree } = await source.tree('root-first', false, signal)
    expect([tree.before?.total[0], tree.unit]).toEqual([40e9, 'ns'])
  })

  it('shows totals if a side has no divisor', () => {
    const plain = comparison()
    expect(NormalisedComparison.of(plain, 'request', { before: { requests: 7 }, after: {} })).toBe(plain)
    expect(NormalisedComparison.of(plain, 'total', { before: {}, after: {} })).toBe(plain)
  })
})
