import { describe, expect, it } from 'vitest'
import { treeOfFolded } from '../../../profile/src/analyze/testing/tree-of.ts'
import { firstExpanded, nodesAbove, stepInTree, visibleRows } from './call-tree-rows.ts'

// 0 main, 1 run, 2 a, 3 b, 4 idle
const tree = treeOfFolded('main;run;a 5\nmain;run;b 3\nmain;idle 1')

describe('visibleRows', () => {
  it('skips the children of collapsed nodes', () => {
    expect(visibleRows(tree, new Set())).toEqual([0])
    expect(visibleRows(tree, new Set([0]))).toEqual([0, 1, 4])
    expect(visibleRows(tree, firstExpanded(tree))).toEqual([0, 1, 2, 3, 4])
    expect(nodesAbove(tree, 3)).toEqual([1, 0])
  })
})

describe('stepInTree', () => {
  const after = (key: string, node: number, expanded: readonly number[]) => {
    const set = new Set(expanded)
    const step = stepInTree(tree, visibleRows(tree, set), { node, expanded: set }, key)
    return step && [step.node, [...step.expanded]]
  }

  it('walks rows, opens and closes', () => {
    expect(after('ArrowDown', 0, [0])).toEqual([1, [0]])
    expect(after('ArrowUp', 0, [0])).toEqual([0, [0]])
    expect(after('ArrowRight', 1, [0])).toEqual([1, [0, 1]])
    expect(after('ArrowRight', 1, [0, 1])).toEqual([2, [0, 1]])
    expect(after('ArrowLeft', 2, [0, 1])).toEqual([1, [0, 1]])
    expect(after('ArrowLeft', 1, [0, 1])).toEqual([1, [0]])
    expect(after('End', 0, [0])).toEqual([4, [0]])
    expect(after('*', 0, [])).toEqual([0, [0, 1]])
    expect(after('x', 0, [])).toBeUndefined()
  })
})
