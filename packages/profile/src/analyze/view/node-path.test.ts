import { expect, test } from 'vitest'
import { findPath, pathOf } from './node-path.ts'
import { foldedText } from './folded.ts'
import { invert } from './invert.ts'
import { shown, treeOfFolded } from '../testing/tree-of.ts'
import { ROOT } from '../tree/call-tree.ts'

const tree = treeOfFolded('main;run;gc 3\nmain;run 2\nmain;idle 1')

test('findPath finds every node by its path, also in another tree of the same calls', () => {
  const other = treeOfFolded('main;idle 9\nmain;run;gc 3\nmain;run 2')
  for (let i = 0; i < tree.length; i++) {
    const path = pathOf(tree, i)
    expect(findPath(tree, path)).toEqual({ node: i, depth: path.length })
    expect(pathOf(other, findPath(other, path).node)).toEqual(path)
  }
  expect(pathOf(tree, ROOT)).toEqual([])
})

test('findPath returns the deepest existing node of a path', () => {
  expect(findPath(tree, ['main', 'run', 'sweep', 'x'])).toEqual({ node: 1, depth: 2 })
  expect(findPath(tree, ['nobody'])).toEqual({ node: ROOT, depth: 0 })
})

test('foldedText of a tree, inverted or not, reads back as the same tree', () => {
  expect(shown(treeOfFolded(foldedText(tree)))).toEqual(shown(tree))
  expect(shown(treeOfFolded(foldedText(invert(tree))))).toEqual(shown(tree))
  expect(foldedText(tree, 1)).toBe('main;run 2\nmain;run;gc 3\n')
})
