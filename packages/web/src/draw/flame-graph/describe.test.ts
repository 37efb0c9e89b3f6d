import { expect, test } from 'vitest'
import type { CallTree } from '@hearth/profile'
import { diffOfFolded } from '../../../../profile/src/analyze/testing/tree-of.ts'
import { announcement, beforeText, boxText, rootText } from './describe.ts'

const tree = diffOfFolded('main;run 3\nmain;idle 1', 'main;run 6\nmain;idle 6')
/** A comparison of shares scales its values to the total after. */
const scaled: CallTree = {
  ...tree,
  before: { ...tree.before!, total: tree.before!.total.map(value => value * 3), sum: tree.sum },
}
const run = tree.frames.name.indexOf('run')
const node = tree.frame.indexOf(run)

test('beforeText shows the value before if it is not scaled', () => {
  expect(rootText(tree)).toBe('all: 4 → 12')
  expect(beforeText(tree, node)).toBe('3, 75.0% of total')
  expect(boxText(tree, node)).toContain('before 3, 75.0% of total')
})

test('beforeText shows only the share if the values are scaled', () => {
  expect(rootText(scaled)).toBe('all: 12')
  expect(beforeText(scaled, node)).toBe('75.0% of total')
})

test('announcement names the whole that shares refer to', () => {
  expect(announcement(tree, node, 'the function')).toContain('50.0% of the function')
})
