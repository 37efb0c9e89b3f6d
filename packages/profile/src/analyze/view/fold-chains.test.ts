import { describe, expect, it } from 'vitest'
import { callTree } from '../profile-tree.ts'
import { arbitraryProfile } from '../testing/arbitrary-profile.ts'
import { diffOfFolded, shown, treeOfFolded, treeOfThreads } from '../testing/tree-of.ts'
import fc from 'fast-check'
import { chainsFillScreen, foldChains, foldedAbove, recursionFillsScreen } from './fold-chains.ts'
import { findPath, pathOf } from './node-path.ts'

describe('foldChains', () => {
  it('keeps the first and the last call of a chain', () => {
    const tree = treeOfFolded(`
      main;run;loop;handle;query 6
      main;run;loop;handle;render 4`)
    const folded = foldChains(tree)
    expect(shown(folded)).toEqual(['main 10', '  handle 10', '    query 6 self 6', '    render 4 self 4'])
    expect(foldedAbove(folded, 1)).toEqual(['run', 'loop'])
    expect(foldedAbove(folded, 0)).toEqual([])
    expect(foldChains(folded)).toBe(folded)
  })

  it('adds small self values of folded calls to their caller and keeps larger ones', () => {
    expect(shown(foldChains(treeOfFolded('main;run;loop;handle 99\nmain;run 1')))).toEqual([
      'main 100 self 1',
      '  handle 99 self 99',
    ])
    const tree = treeOfFolded('main;run;loop;handle 90\nmain;run 10')
    expect(foldChains(tree)).toBe(tree)
  })

  it('keeps values of attributes at the root', () => {
    const tree = treeOfThreads('worker: main;run;handle 3')
    expect(shown(foldChains(tree))).toEqual(['worker 3', '  main 3', '    handle 3 self 3'])
  })

  it('folds both sides of a diff', () => {
    const folded = foldChains(diffOfFolded('a;b;c;d 4', 'a;b;c;d 6'))
    expect(folded.length).toBe(2)
    expect([...folded.total]).toEqual([6, 6])
    expect([...folded.before!.total]).toEqual([4, 4])
  })

  it('has the sums and the paths of the unfolded tree for every profile', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles }) => {
        const tree = callTree(profiles, 0)
        const folded = foldChains(tree)
        const sum = (values: Float64Array): number => values.reduce((a, b) => a + b, 0)
        expect(sum(folded.self)).toBeCloseTo(sum(tree.self), 6)
        for (let i = 0; i < folded.length; i++) {
          const path = pathOf(folded, i)
          expect(path).toEqual(pathOf(tree, folded.unfolded?.node[i] ?? i))
          // Siblings can have the same name. Then both find the first.
          expect(findPath(folded, path).node).toBe(
            folded.unfolded?.shown[findPath(tree, path).node] ?? findPath(tree, path).node,
          )
          expect(folded.end[i]).toBeGreaterThan(i)
        }
      }),
    )
  })
})

describe('findPath of a folded tree', () => {
  it('finds the next shown call for a folded one', () => {
    const folded = foldChains(treeOfFolded('main;run;loop;handle 3'))
    expect(findPath(folded, ['main', 'run'])).toEqual({ node: 1, depth: 2 })
    expect(findPath(folded, ['main', 'none'])).toEqual({ node: 0, depth: 1 })
  })
})

describe('chainsFillScreen and recursionFillsScreen', () => {
  const chain = (length: number, name: (i: number) => string): string =>
    Array.from({ length }, (_, i) => name(i)).join(';')

  it('are true if twelve calls of the heaviest path are folded', () => {
    expect(chainsFillScreen(treeOfFolded(`${chain(14, i => `f${i}`)} 3`))).toBe(true)
    expect(chainsFillScreen(treeOfFolded(`${chain(13, i => `f${i}`)} 3`))).toBe(false)
    expect(chainsFillScreen(treeOfFolded(`main;a 9\n${chain(14, i => `f${i}`)} 3`))).toBe(false)
    expect(recursionFillsScreen(treeOfFolded(`${chain(13, () => 'walk')} 3`))).toBe(true)
    expect(recursionFillsScreen(treeOfFolded(`${chain(13, i => `f${i}`)} 3`))).toBe(false)
  })
})
