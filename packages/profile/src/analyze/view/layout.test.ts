import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callTree } from '../profile-tree.ts'
import { arbitraryProfile } from '../testing/arbitrary-profile.ts'
import { layOut } from './layout.ts'
import { diffOfFolded, treeOfFolded } from '../testing/tree-of.ts'
import { ROOT } from '../tree/call-tree.ts'

test('layOut places children side by side from the start of their parent', () => {
  const layout = layOut(treeOfFolded('main;run;gc 3\nmain;run 2\nmain;idle 1\nother 2'))
  expect(Array.from(layout.left)).toEqual([0, 0, 0, 5, 6])
  expect(Array.from(layout.width)).toEqual([6, 5, 3, 1, 2])
  expect(Array.from(layout.inner)).toEqual([6, 3, 0, 5, 6])
  expect([layout.whole, layout.roots, layout.rows, layout.descending]).toEqual([8, 8, 4, true])
})

test('layOut keeps boxes inside their parent and apart, with values of any sign', () => {
  fc.assert(
    fc.property(arbitraryProfile, ({ profiles }) => {
      const tree = callTree(profiles, 0)
      const { left, width, whole } = layOut(tree)
      // Doubles near 2^63 have an error of up to 2^11.
      const slack = whole * 1e-12
      for (let i = 0; i < tree.length; i++) {
        const above = tree.parent[i]
        const [from, until] = above === ROOT ? [0, whole] : [left[above], left[above] + width[above]]
        const next = tree.end[i]
        const fits = left[i] >= from - slack && left[i] + width[i] <= until + slack
        const apart = next >= tree.length || tree.parent[next] !== above || left[next] >= left[i] + width[i] - slack
        expect([i, fits, apart]).toEqual([i, true, true])
      }
    }),
  )
})

test('layOut makes room for both sides of a diff', () => {
  const layout = layOut(diffOfFolded('main;old 3', 'main;new 1'))
  expect(Array.from(layout.width)).toEqual([4, 3, 1])
})

test('layOut reports that the siblings of a diff are not in order of width', () => {
  const layout = layOut(diffOfFolded('a 6\nb 5', 'b 5'))
  expect([Array.from(layout.width), layout.descending]).toEqual([[6, 10], false])
})
