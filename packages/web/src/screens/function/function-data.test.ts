import { treeOfColumns } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import { relatedOf, sumsOf, withFunction } from './function-data.ts'

/** work calls parse (twice, in two files) and read; parse calls read and work. */
function callees(): ReturnType<typeof treeOfColumns> {
  const name = ['work', 'parse', 'read', 'parse']
  const file = ['a.ts', 'a.ts', 'b.ts', 'c.ts']
  const frames = {
    length: 4,
    name,
    file,
    systemName: ['', '', '', ''],
    line: new BigInt64Array(4),
    mapping: ['', '', '', ''],
    type: ['', '', '', ''],
  } as unknown as Parameters<typeof treeOfColumns>[0]['frames']
  const self = Float64Array.of(10, 2, 20, 3, 15, 50)
  const total = Float64Array.of(100, 25, 20, 3, 15, 50)
  return treeOfColumns({
    parent: Int32Array.of(-1, 0, 1, 1, 0, 0),
    frame: Uint32Array.of(0, 1, 2, 0, 3, 2),
    frames,
    order: 'root-first',
    unit: 'ns',
    after: { self, total, selfExact: undefined, totalExact: undefined, sum: 100n },
  })
}

describe('withFunction', () => {
  it('selects stacks with the function of the file', () => {
    const query = { ...EMPTY_QUERY, service: 'shop', type: 'cpu:ns' }
    expect(selectorOf(withFunction(query, { name: 'work', file: 'a.ts' }))).toBe(
      'cpu:ns{resource:service.name="shop"} | frame "work" in "a.ts"',
    )
    expect(selectorOf(withFunction(query, { name: 'work', file: '' }))).toContain('| frame "work"')
  })
})

describe('sumsOf', () => {
  it('reads the total from the root of the callees and self also from its recursive calls', () => {
    const tree = callees()
    expect(sumsOf({ name: 'work', file: '', callers: tree, callees: tree, sum: 400n })).toEqual({
      self: 13,
      total: 100,
      all: 400n,
    })
  })
})

describe('relatedOf', () => {
  it('lists direct callees, largest first, and tells files apart', () => {
    expect(relatedOf(callees())).toEqual([
      { name: 'read', file: 'b.ts', total: 50 },
      { name: 'parse', file: 'a.ts', total: 25 },
      { name: 'parse', file: 'c.ts', total: 15 },
    ])
  })
})
