import { callTree } from '../profile-tree.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryProfile } from '../testing/arbitrary-profile.ts'
import { HIDDEN_NAME, invert } from './invert.ts'
import { expectSums, valuesOf } from '../testing/path-sums.ts'
import { shown, treeOfFolded } from '../testing/tree-of.ts'

const example = treeOfFolded(`
  main;run;f;g 4
  main;f;g;f 2
  main;f 1
  main;idle 5`)

describe('invert', () => {
  test('makes leaves the roots', () => {
    expect(shown(invert(treeOfFolded('main;run;gc 3\nmain;run 2\nmain;gc 1')))).toEqual([
      'gc 4',
      '  run 3',
      '    main 3 self 3',
      '  main 1 self 1',
      'run 2',
      '  main 2 self 2',
    ])
  })

  test('equals the leaf-first tree of callTree', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles, samples }) => {
        const tree = invert(callTree(profiles, 0))
        expect(tree.order).toBe('leaf-first')
        expectSums(
          tree,
          valuesOf(samples).map(({ path, value }) => ({ path: path.toReversed(), value })),
        )
      }),
    )
  })

  test('orders nodes like callTree', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles, samples }) => {
        // callTree has nodes for samples whose sum is zero. An inverted tree drops them.
        fc.pre(samples.every(({ value }) => value > 0n))
        const expected = shown(callTree(profiles, 0, { order: 'leaf-first' }))
        expect(shown(invert(callTree(profiles, 0)))).toEqual(expected)
      }),
    )
  })

  test('orders sums with equal doubles exactly', () => {
    const tree = treeOfFolded('main;a 9007199254740992\nmain;b 9007199254740993')
    expect(shown(invert(tree))).toEqual([
      'b 9007199254740993',
      '  main 9007199254740993 self 9007199254740993',
      'a 9007199254740992',
      '  main 9007199254740992 self 9007199254740992',
    ])
  })

  test('restores the tree when applied twice', () => {
    expect(shown(invert(invert(example)))).toEqual(shown(example))
  })

  test('puts stacks with a hidden leaf below a special frame', () => {
    const total = example.total.map((value, i) => value + (i === 0 ? 3 : 0))
    const tree = invert({ ...example, total, sum: 15n })
    expect(shown(tree)).toContain(`${HIDDEN_NAME} 3`)
    expect(tree.sum).toBe(15n)
  })
})
