// Converts random trees to rows of numbers and back, with any node limit.
import { callTree } from '@hearth/profile'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PlainSample } from '../../../query/testing/plain-profiles.ts'
import { oneProfile } from '../../../query/testing/plain-profiles.ts'
import { pathsOfLevels, pathsOfProfiles } from '../../testing/flame-paths.ts'
import { readStackCounts } from '../../ingest/stack-counts.ts'
import { flameLevels } from './flame-levels.ts'
import type { EngineTree } from '../name-tree.ts'
import { NameTree } from '../name-tree.ts'
import { treeBytes } from '../tree-bytes.ts'

const value = fc.oneof(fc.bigInt({ min: 1n, max: 50n }), fc.constantFrom(2n ** 53n + 1n, 2n ** 55n))
const samples: fc.Arbitrary<PlainSample[]> = fc.array(
  fc.record({
    frames: fc.array(
      // Functions with one name in several files are one node for these clients, and so are their callees.
      fc.record({ name: fc.constantFrom('main', 'run', 'other', 'total', 'gc'), file: fc.constantFrom('a', 'b') }),
      { minLength: 1, maxLength: 7 },
    ),
    values: fc.tuple(value),
  }),
  { maxLength: 30 },
)

/** A complete tree of the query engine. */
function engineTree(list: readonly PlainSample[]): EngineTree {
  return callTree(oneProfile(list), 0)
}

test('represents a whole tree', () => {
  fc.assert(
    fc.property(samples, list => {
      const tree = new NameTree()
      tree.add(engineTree(list))
      const { names, levels, totals } = flameLevels(tree.cut(1_000_000))
      expect(pathsOfLevels(names, levels)).toEqual(pathsOfProfiles(oneProfile(list)))
      expect(totals).toEqual([callTree(oneProfile(list), 0).sum])
    }),
  )
})

test('represents two sides', () => {
  fc.assert(
    fc.property(samples, samples, (before, after) => {
      const tree = new NameTree(2)
      tree.add(engineTree(before))
      tree.add(engineTree(after), 1)
      const { names, levels } = flameLevels(tree.cut(1_000_000))
      expect(pathsOfLevels(names, levels, 2)).toEqual(pathsOfProfiles(oneProfile(before), oneProfile(after)))
    }),
  )
})

test('keeps the largest nodes of a limited tree, and the sum of all', () => {
  // No function is named other, so that the test can recognise removed nodes.
  const named = samples.map(list =>
    list.map(sample => ({ ...sample, frames: sample.frames.filter(({ name }) => name !== 'other') })),
  )
  const filled = named.map(list => list.filter(({ frames }) => frames.length > 0))
  fc.assert(
    fc.property(filled, fc.integer({ min: 1, max: 20 }), (list, maxNodes) => {
      const tree = new NameTree()
      tree.add(engineTree(list))
      const { names, levels, totals } = flameLevels(tree.cut(maxNodes))
      const paths = pathsOfLevels(names, levels)
      const whole = pathsOfProfiles(oneProfile(list))
      const shown = Object.keys(paths).filter(path => !/(?:^|;)other$/.test(path))
      expect(shown).toHaveLength(Math.min(maxNodes, Object.keys(whole).length))
      for (const path of shown) expect(paths[path]).toBe(whole[path])
      let selves = 0n
      for (const text of Object.values(paths)) selves += BigInt(text.split('/')[0])
      expect([selves]).toEqual(totals)
      const { counts } = readStackCounts('tree', treeBytes(tree.cut(maxNodes)), 1 << 20)
      expect([[...counts.values()].reduce((a, b) => a + b, 0n)]).toEqual(totals)
    }),
  )
})
