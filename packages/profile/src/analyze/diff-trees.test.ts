import { readFolded } from '../formats/folded/read.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changeLimit, changeOf } from './diff.ts'
import { foldedText } from './view/folded.ts'
import { invert } from './view/invert.ts'
import { findPath } from './view/node-path.ts'
import { diffOfFolded, shown, treeOfFolded } from './testing/tree-of.ts'
import { applyTransform } from './view/transform.ts'

const before = 'main;run;gc 3\nmain;idle 2'
const after = 'main;run;gc 1\nmain;run 6\nmain;new 1'

describe('a diff of two trees', () => {
  const tree = diffOfFolded(before, after)

  test('contains the values of both trees', () => {
    expect(shown(tree)).toEqual([
      'main 8 before 5',
      '  run 7 self 6 before 3',
      '    gc 1 self 1 before 3',
      '  idle 0 before 2',
      '  new 1 self 1 before 0',
    ])
    expect([tree.sum, tree.before!.sum]).toEqual([8n, 5n])
  })

  test('writes folded text with both values of a stack, inverted or not', () => {
    const text = 'main;run 0 6\nmain;run;gc 3 1\nmain;idle 2 0\nmain;new 0 1\n'
    const { profiles } = readFolded(new TextEncoder().encode(foldedText(tree)))
    expect(foldedText(tree)).toBe(text)
    expect(foldedText(invert(tree)).split('\n').sort()).toEqual(text.split('\n').sort())
    expect(profiles.profiles.length).toBe(2)
  })

  test('applies transforms to both sides', () => {
    expect(shown(applyTransform(tree, { kind: 'merge-function', function: { name: 'run' } }))).toEqual([
      'main 8 self 6 before 5',
      '  gc 1 self 1 before 3',
      '  idle 0 before 2',
      '  new 1 self 1 before 0',
    ])
    expect(shown(invert(tree))).toContain('idle 0 before 2')
  })

  test('keeps each side equal to its tree', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const text = fc
      .array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 9 })), { minLength: 1 })
      .map(rows => rows.map(([path, value]) => `${path.join(';')} ${value}`).join('\n'))
    fc.assert(
      fc.property(text, text, (one, two) => {
        const both = diffOfFolded(one, two)
        const lines = (values: Float64Array): string[] =>
          Array.from(
            both.frame,
            (frame, i) => `${'  '.repeat(both.depth[i])}${both.frames.name[frame]} ${values[i]}`,
          ).filter(line => !line.endsWith(' 0'))
        const plain = (of: string): string[] => shown(treeOfFolded(of)).map(line => line.replace(/ self.*/, ''))
        expect(lines(both.total).sort()).toEqual(plain(two).sort())
        expect(lines(both.before!.total).sort()).toEqual(plain(one).sort())
      }),
    )
  })
})

describe('changeOf', () => {
  const tree = diffOfFolded(before, after)
  const at = (...path: string[]): number => findPath(tree, path).node

  test('compares shares of the sums', () => {
    expect(changeOf(tree, at('main'))).toBe(0)
    expect(changeOf(tree, at('main', 'run'))).toBeCloseTo(7 / 8 - 3 / 5)
    expect(changeOf(tree, at('main', 'idle'))).toBeCloseTo(-2 / 5)
    expect(changeOf(treeOfFolded(before), 0)).toBe(0)
  })

  test('is never above changeLimit, which is a round number', () => {
    expect(changeLimit(tree)).toBe(0.5)
    expect(changeLimit(tree, 0.7)).toBe(1)
    expect(changeLimit(treeOfFolded(before))).toBe(0.001)
  })
})
