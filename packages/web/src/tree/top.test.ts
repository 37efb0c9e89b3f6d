import { callTree, exactSelf, exactTotal, topTable } from '@hearth/profile'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryProfile } from '../../../profile/src/analyze/testing/arbitrary-profile.ts'
import { diffOf } from './diff.ts'
import { treeOfCallTree } from './from-call-tree.ts'
import { findPath } from './node-path.ts'
import { treeOfFolded } from './testing/tree-of.ts'
import type { TopRows } from './top.ts'
import { topRows } from './top.ts'

function rowsOf({ frame, frames, after }: TopRows): string[] {
  return Array.from(frame, (f, i) => `${frames.name[f]} ${exactSelf(after, i)} ${exactTotal(after, i)}`)
}

test.each(['root-first', 'leaf-first'] as const)('of a tree %s, it is the library’s table', order => {
  fc.assert(
    fc.property(arbitraryProfile, ({ profiles }) => {
      const table = topTable(profiles, 0)
      const expected = Array.from(
        table.frame,
        (f, i) => `${table.frames.name(f)} ${exactSelf(table, i)} ${exactTotal(table, i)}`,
      )
      expect(rowsOf(topRows(treeOfCallTree(callTree(profiles, 0, { order }), 'ns'))).sort()).toEqual(expected.sort())
    }),
  )
})

test('greatest self first', () => {
  const tree = treeOfFolded('main;run;f 1\nmain;f;f 5\nmain 2')
  expect(rowsOf(topRows(tree))).toEqual(['f 6 6', 'main 2 8', 'run 0 1'])
})

test('of equal ones by name', () => {
  expect(rowsOf(topRows(treeOfFolded('z;y;x 1\na;b 1')))).toEqual(['b 1 1', 'x 1 1', 'a 0 1', 'y 0 1', 'z 0 1'])
})

test('of one node it is of what is below', () => {
  const tree = treeOfFolded('main;run;f 1\nmain;f 5')
  const rows = topRows(tree, findPath(tree, ['main', 'run']).node)
  expect(rowsOf(rows)).toEqual(['f 1 1', 'run 0 1'])
  expect(rows.after.sum).toBe(1n)
})

test('of a comparison it has both sides', () => {
  const rows = topRows(diffOf(treeOfFolded('main;old 9\nmain;f 1'), treeOfFolded('main;f 4')))
  const names = Array.from(rows.frame, f => rows.frames.name[f])
  expect(names).toEqual(['old', 'f', 'main'])
  expect(Array.from(rows.before!.self)).toEqual([9, 1, 0])
  expect(Array.from(rows.after.self)).toEqual([0, 4, 0])
})
