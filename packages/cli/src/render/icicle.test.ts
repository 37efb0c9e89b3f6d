import { callTree, ProfilesBuilder } from '@hearth/profile'
import type { CallTree } from '@hearth/profile'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { icicle } from './icicle.ts'

/** `{ 'main run': 3 }` is a stack, root first, with its value. */
function treeOf(stacks: Readonly<Record<string, number>>): CallTree {
  const b = new ProfilesBuilder()
  b.profile({ type: 'cpu', unit: 'ns' })
  for (const [names, value] of Object.entries(stacks)) {
    const locations = names
      .split(' ')
      .toReversed()
      .map(name => b.location({ lines: [{ function: b.function({ name }) }] }))
    b.sample({ stack: b.stack(locations), values: [BigInt(value)] })
  }
  return callTree(b.build(), 0)
}

/** Without colours. */
function drawn(tree: CallTree, width: number, options: { minPercent?: number; maxDepth?: number } = {}): string[] {
  const { minPercent = 0, maxDepth = 100 } = options
  const lines = icicle(tree, { width, colors: 24, minPercent, maxDepth })
  // oxlint-disable-next-line no-control-regex
  return lines.map(line => line.replaceAll(/\u001b\[[\d;]*m/g, ''))
}

test('icicle draws frames as wide as their share, and prints the share if it fits', () => {
  expect(drawn(treeOf({ 'main run gc': 3, 'main run': 2, 'main idle': 1 }), 24)).toEqual([
    'main 100%               ',
    'run 83.3%           idle',
    'gc 50.0%    ',
  ])
})

test('icicle draws edges on half cells', () => {
  // 75 % of 10 cells. The remaining two cells are too narrow for a name.
  expect(drawn(treeOf({ abcdef: 15, xyz: 5 }), 10)).toEqual(['abcdef ▌  '])
  expect(drawn(treeOf({ 'm abcdef': 15, m: 5 }), 10)[1]).toBe('abcdef ▌')
})

test('icicle hides frames that are too small or too deep', () => {
  const tree = treeOf({ 'main run gc': 3, 'main idle': 1 })
  expect(drawn(tree, 20, { minPercent: 30 })).toEqual(['main 100%           ', 'run 75.0%      ', 'gc 75.0%       '])
  expect(drawn(tree, 20, { maxDepth: 1 })).toHaveLength(1)
})

test('icicle draws nothing for a sum that is not above zero', () => {
  expect(drawn(treeOf({ main: 0 }), 20)).toEqual([])
  expect(drawn(treeOf({ main: -5 }), 20)).toEqual([])
})

test('icicle never draws a line wider than the terminal', () => {
  const stacks = fc.dictionary(fc.stringMatching(/^[a-c]( [a-c]){0,5}$/), fc.integer({ min: -5, max: 1000 }))
  fc.assert(
    fc.property(stacks, fc.integer({ min: 1, max: 50 }), (content, width) => {
      for (const line of drawn(treeOf(content), width)) expect(line.length).toBeLessThanOrEqual(width)
    }),
  )
})
