import { describe, expect, test } from 'vitest'
import type { DiffSide } from './diff.ts'
import { diffTree, topDiff } from './diff.ts'
import { differences, exactTotal } from './tree/exact-values.ts'
import { profileOf } from './testing/profile-of.ts'
import { showDiffTree, showTopDiff } from './testing/show.ts'

function side(text: string): DiffSide {
  return { profiles: profileOf(text).profiles, selection: 0 }
}

// Functions appear in a different order on each side, so the two dictionaries number them differently.
const before = side(`
  2     3
  main  main
  idle  run
        gc`)
const after = side(`
  1     6
  main  main
  run   run
  gc    `)

describe('diffTree', () => {
  test('matches frames by content', () => {
    const diff = diffTree(before, after)
    expect(showDiffTree(diff)).toEqual([
      'main 5 -> 7 (+2)',
      '  run 3 -> 7 (+4)',
      '    gc 3 -> 1 (-2)',
      '  idle 2 -> 0 (-2) vanished',
    ])
    expect([diff.beforeSum, diff.sum, diff.scale]).toEqual([5n, 7n, 1])
    expect(Array.from(differences(diff.before, diff).self)).toEqual([0, 6, -2, -2])
    expect(Array.from(diff.end)).toEqual([4, 3, 3, 4])
  })

  test('marks new nodes', () => {
    expect(showDiffTree(diffTree(after, before))[3]).toBe('  idle 0 -> 2 (+2) new')
  })

  test('compares leaf-first trees', () => {
    expect(showDiffTree(diffTree(before, after, { order: 'leaf-first' }))).toEqual([
      'run 0 -> 6 (+6) new',
      '  main 0 -> 6 (+6) new',
      'gc 3 -> 1 (-2)',
      '  run 3 -> 1 (-2)',
      '    main 3 -> 1 (-2)',
      'idle 2 -> 0 (-2) vanished',
      '  main 2 -> 0 (-2) vanished',
    ])
  })

  test('distinguishes frames of one name by file, and by line if the grouping has lines', () => {
    const one = side('1\na[x.c:1]')
    const two = side('1\na[x.c:2]')
    expect(showDiffTree(diffTree(one, two))).toEqual(['a x.c 1 -> 1 (0)'])
    expect(showDiffTree(diffTree(one, two, { by: 'line' }))).toEqual([
      'a x.c:1 1 -> 0 (-1) vanished',
      'a x.c:2 0 -> 1 (+1) new',
    ])
  })

  test('compares shares if it normalises', () => {
    const doubled = side(`
      6     4
      main  main
      run   idle
      gc    `)
    const diff = diffTree(before, doubled, { normalise: true })
    expect(diff.scale).toBe(2)
    expect(Array.from(differences(diff.before, diff).total)).toEqual([0, 0, 0, 0])
    expect(Array.from(diff.before.total)).toEqual([10, 6, 6, 4])
    expect([diff.beforeSum, diff.sum]).toEqual([5n, 10n])
  })

  test('does not scale an empty side', () => {
    expect(diffTree(before, side('0\na'), { normalise: true }).scale).toBe(1)
    expect(diffTree(side('-5\na'), before, { normalise: true }).scale).toBe(1)
  })

  test('shows no change between a profile and itself', () => {
    const diff = diffTree(before, before)
    expect(Array.from(differences(diff.before, diff).total)).toEqual([0, 0, 0, 0])
    expect(Array.from(diff.presence)).toEqual([3, 3, 3, 3])
  })

  test('computes exact differences beyond 2^53 and beyond int64', () => {
    const small = diffTree(side('-9007199254740991\na'), side('9007199254740990\na'))
    expect(exactTotal(differences(small.before, small), 0)).toBe(18014398509481981n)
    const large = diffTree(side('-9223372036854775808\na'), side('9223372036854775807\na'))
    expect(exactTotal(differences(large.before, large), 0)).toBe(18446744073709551615n)
  })

  test('rejects profiles of different units unless it normalises', () => {
    const bytes = side('1By\na')
    expect(() => diffTree(before, bytes)).toThrow('cannot be compared')
    expect(diffTree(before, bytes, { normalise: true }).scale).toBe(0.2)
  })
})

describe('topDiff', () => {
  test('orders rows by the change of self, then of total, then by name', () => {
    const diff = topDiff(before, after)
    expect(showTopDiff(diff)).toEqual([
      'run 0 -> 6, 3 -> 7',
      'gc 3 -> 1, 3 -> 1',
      'idle 2 -> 0, 2 -> 0 vanished',
      'main 0 -> 0, 5 -> 7',
    ])
    expect(Array.from(differences(diff.before, diff).total)).toEqual([4, -2, -2, 2])
  })

  test('marks new frames', () => {
    expect(showTopDiff(topDiff(side('1\na'), side('1  4\na  b')))).toEqual(['b 0 -> 4, 0 -> 4 new', 'a 1 -> 1, 1 -> 1'])
  })

  test('scales the baseline if it normalises', () => {
    const diff = topDiff(side('1  1\na  b'), side('6  2\na  b'), { normalise: true })
    expect(showTopDiff(diff)).toEqual(['a 4 -> 6, 4 -> 6', 'b 4 -> 2, 4 -> 2'])
  })
})
