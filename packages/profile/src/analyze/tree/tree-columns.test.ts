import { exactTotal } from './exact-values.ts'
import { describe, expect, test } from 'vitest'
import type { FlameGraphJson } from './tree-columns.ts'
import { treeOfColumns, treeOfDiffJson, treeOfFlameGraphJson } from './tree-columns.ts'
import { framesOfRows } from './frame-table.ts'
import { shown } from '../testing/tree-of.ts'

const response: FlameGraphJson = {
  unit: 'ns',
  order: 'root-first',
  sum: '9223372036854775808',
  hidden: { nodes: 2 },
  frames: [{ name: 'main', file: 'main.go' }, { name: 'gc' }],
  nodes: {
    parent: [-1, 0, 1, 0],
    frame: [0, 1, 1, 0],
    hiddenChildren: [0, 2, 0, 0],
    self: ['0', '1', '9007199254740993', '5'],
    total: ['9223372036854775808', '9007199254741001', '9007199254740993', '5'],
  },
}

describe('treeOfFlameGraphJson', () => {
  const tree = treeOfFlameGraphJson(response)

  test('computes depth and end', () => {
    expect(Array.from(tree.depth)).toEqual([0, 1, 2, 1])
    expect(Array.from(tree.end)).toEqual([4, 3, 3, 4])
    expect([tree.sum, tree.hiddenNodes, tree.unit]).toEqual([2n ** 63n, 2, 'ns'])
    expect([tree.frames.file, tree.frames.mapping]).toEqual([
      ['main.go', ''],
      ['', ''],
    ])
  })

  test('has exact values beyond 2^53 and beyond int64', () => {
    expect([0, 1, 2, 3].map(i => exactTotal(tree, i))).toEqual([2n ** 63n, 9007199254741001n, 9007199254740993n, 5n])
  })
})

test('treeOfDiffJson has both sides', () => {
  const side = { unit: 'ns', hidden: { nodes: 0 } }
  const tree = treeOfDiffJson({
    order: 'root-first',
    scale: 1.5,
    before: { ...side, sum: '4', self: ['1.5', '4.5'], total: ['6', '4.5'] },
    after: { ...side, sum: '6', self: ['0', '6'], total: ['6', '6'] },
    frames: [{ name: 'main' }, { name: 'run' }],
    nodes: { parent: [-1, 0], frame: [0, 1], hiddenChildren: [0, 0] },
  })
  expect(tree.before!.sum).toBe(6n)
  expect(Array.from(tree.before!.total)).toEqual([6, 4.5])
  expect(shown(tree)[1]).toMatch(/^ {2}run 6 self 6/)
})

test.each([
  ['a parent that comes later', [1, -1], [0, 0]],
  ['a parent that is not open', [-1, -1, 0, 1, 0], [0, 0, 0, 0, 0]],
  ['a frame that does not exist', [-1], [9]],
  ['fewer values than nodes', [-1, -1, -1, -1, -1, -1, -1], [0, 0, 0, 0, 0, 0, 0]],
])('treeOfColumns rejects %s', (_, parent, frame) => {
  const size = Math.min(parent.length, 6)
  const columns = {
    self: new Float64Array(size),
    total: new Float64Array(size),
    selfExact: undefined,
    totalExact: undefined,
    sum: 0n,
  }
  const frames = framesOfRows([{ name: 'main' }])
  expect(() => treeOfColumns({ parent, frame, frames, order: 'root-first', unit: 'ns', after: columns })).toThrow(
    RangeError,
  )
})
