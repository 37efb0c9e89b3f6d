import { callTree } from './profile-tree.ts'
import { exactSelf, exactTotal } from './tree/exact-values.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryProfile } from './testing/arbitrary-profile.ts'
import { findPath } from './view/node-path.ts'
import { diffOfFolded, treeOfFolded } from './testing/tree-of.ts'
import type { TopTable } from './top.ts'
import { topOfTree, topTable } from './top.ts'

function rowsOf(top: TopTable): string[] {
  return Array.from(top.frame, (f, i) => `${top.frames.name[f]} ${exactSelf(top, i)} ${exactTotal(top, i)}`)
}

test.each(['root-first', 'leaf-first'] as const)('topOfTree of a tree %s equals topTable', order => {
  fc.assert(
    fc.property(arbitraryProfile, ({ profiles }) => {
      const table = topTable(profiles, 0)
      const expected = Array.from(
        table.frame,
        (f, i) => `${table.frames.name[f]} ${exactSelf(table, i)} ${exactTotal(table, i)}`,
      )
      expect(rowsOf(topOfTree(callTree(profiles, 0, { order }))).sort()).toEqual(expected.sort())
    }),
  )
})

test('topOfTree sorts by self, greatest first', () => {
  const tree = treeOfFolded('main;run;f 1\nmain;f;f 5\nmain 2')
  expect(rowsOf(topOfTree(tree))).toEqual(['f 6 6', 'main 2 8', 'run 0 1'])
})

test('topOfTree sorts equal rows by name', () => {
  expect(rowsOf(topOfTree(treeOfFolded('z;y;x 1\na;b 1')))).toEqual(['b 1 1', 'x 1 1', 'a 0 1', 'y 0 1', 'z 0 1'])
})

test('topOfTree of a node covers its subtree', () => {
  const tree = treeOfFolded('main;run;f 1\nmain;f 5')
  const rows = topOfTree(tree, findPath(tree, ['main', 'run']).node)
  expect(rowsOf(rows)).toEqual(['f 1 1', 'run 0 1'])
  expect(rows.sum).toBe(1n)
})

test('topOfTree of a diff has both sides', () => {
  const rows = topOfTree(diffOfFolded('main;old 9\nmain;f 1', 'main;f 4'))
  const names = Array.from(rows.frame, f => rows.frames.name[f])
  expect(names).toEqual(['old', 'f', 'main'])
  expect(Array.from(rows.before!.self)).toEqual([9, 1, 0])
  expect(Array.from(rows.self)).toEqual([0, 4, 0])
})
