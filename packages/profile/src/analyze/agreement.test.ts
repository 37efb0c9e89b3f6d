// The views of a profile of random profiles agree with each other and with naive sums.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NONE } from '../model/columns/brand.ts'
import type { CallTree } from './tree/call-tree.ts'
import { callTree } from './profile-tree.ts'
import { diffTree, topDiff } from './diff.ts'
import { differences, exactSelf, exactTotal, overflows } from './tree/exact-values.ts'
import { sandwich } from './sandwich.ts'
import { profileSummary } from './summary.ts'
import type { PlainSample } from './testing/arbitrary-profile.ts'
import { arbitraryProfile } from './testing/arbitrary-profile.ts'
import { topTable } from './top.ts'

const orders = ['root-first', 'leaf-first'] as const

interface Sums {
  self: bigint
  total: bigint
}

function pathOf(sample: PlainSample, inlined: boolean): string[] {
  // Without inlined frames a location is the outermost of its functions.
  const path = sample.path.filter((_, i) => inlined || !sample.inlined[i])
  return path.length === 0 ? ['[unknown]'] : path
}

/** The expected sums of a tree, by path: `a/b/c`. */
function treeSums(samples: readonly PlainSample[], inlined: boolean, reversed: boolean): Map<string, Sums> {
  const sums = new Map<string, Sums>()
  for (const sample of samples) {
    const path = pathOf(sample, inlined)
    if (reversed) path.reverse()
    for (let length = 1; length <= path.length; length++) {
      const key = path.slice(0, length).join('/')
      const sum = sums.get(key) ?? { self: 0n, total: 0n }
      sums.set(key, sum)
      sum.total += sample.value
      if (length === path.length) sum.self += sample.value
    }
  }
  return sums
}

function pathsOf(tree: Pick<CallTree, 'length' | 'parent' | 'frame' | 'frames'>): string[] {
  const paths: string[] = []
  for (let i = 0; i < tree.length; i++) {
    const name = tree.frames.name[tree.frame[i]]
    paths.push(tree.parent[i] === NONE ? name : `${paths[tree.parent[i]]}/${name}`)
  }
  return paths
}

function sumOfSamples(samples: readonly PlainSample[]): bigint {
  return samples.reduce((sum, sample) => sum + sample.value, 0n)
}

describe('trees', () => {
  test.each(orders)('%s, contain the sum of each path', order => {
    fc.assert(
      fc.property(arbitraryProfile, fc.boolean(), ({ profiles, samples }, inlined) => {
        const tree = callTree(profiles, 0, { order, inlined })
        const paths = pathsOf(tree)
        const found = new Map(paths.map((path, i) => [path, { self: exactSelf(tree, i), total: exactTotal(tree, i) }]))
        expect(found.size).toBe(tree.length)
        expect(found).toEqual(treeSums(samples, inlined, order === 'leaf-first'))
        expect(tree.sum).toBe(sumOfSamples(samples))
        expect(Array.from(tree.total)).toEqual(Array.from(tree.total, (_, i) => Number(exactTotal(tree, i))))
      }),
    )
  })

  test.each(orders)('%s, are in depth-first order with siblings by total and name', order => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles }) => {
        const tree = callTree(profiles, 0, { order })
        for (let i = 0; i < tree.length; i++) {
          const above = tree.parent[i]
          expect(above).toBeLessThan(i)
          expect(tree.depth[i]).toBe(above === NONE ? 0 : tree.depth[above] + 1)
          expect(tree.end[i]).toBeLessThanOrEqual(above === NONE ? tree.length : tree.end[above])
          const next = tree.end[i]
          if (next === tree.length || tree.parent[next] !== above) continue
          const [mine, theirs] = [exactTotal(tree, i), exactTotal(tree, next)]
          expect(mine >= theirs).toBe(true)
          const names = [i, next].map(node => tree.frames.name[tree.frame[node]])
          if (mine === theirs) expect(names).toEqual(names.toSorted())
        }
      }),
    )
  })

  test('have selves, and totals of roots, that add up to the samples in both orders', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles, samples }) => {
        for (const order of orders) {
          const tree = callTree(profiles, 0, { order })
          let selves = 0n
          let roots = 0n
          for (let i = 0; i < tree.length; i++) {
            selves += exactSelf(tree, i)
            if (tree.parent[i] === NONE) roots += exactTotal(tree, i)
          }
          expect([selves, roots]).toEqual([sumOfSamples(samples), sumOfSamples(samples)])
        }
        expect(profileSummary(profiles, 0).total).toBe(sumOfSamples(samples))
      }),
    )
  })

  test('report an overflow exactly if a sum leaves int64', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles, samples }) => {
        const sums = [...treeSums(samples, true, false).values()].flatMap(({ self, total }) => [self, total])
        expect(overflows(callTree(profiles, 0))).toBe(sums.some(sum => BigInt.asIntN(64, sum) !== sum))
      }),
    )
  })
})

describe('topTable', () => {
  test('counts each stack once for every frame in it', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles, samples }) => {
        const expected = new Map<string, Sums>()
        for (const sample of samples) {
          const path = pathOf(sample, true)
          for (const name of new Set(path)) {
            const sum = expected.get(name) ?? { self: 0n, total: 0n }
            expected.set(name, sum)
            sum.total += sample.value
            if (name === path.at(-1)) sum.self += sample.value
          }
        }
        const top = topTable(profiles, 0)
        const rows = Array.from(top.frame, (frame, i): [string, Sums] => [
          top.frames.name[frame],
          { self: exactSelf(top, i), total: exactTotal(top, i) },
        ])
        expect(new Map(rows)).toEqual(expected)
        expect(rows.length).toBe(expected.size)
        expect(Array.from(top.total)).toEqual(rows.map(([, { total }]) => Number(total)))
        expect(rows.reduce((sum, [, { self }]) => sum + self, 0n)).toBe(top.sum)
        const sorted = rows.toSorted(
          ([n, a], [m, b]) => Number(b.self - a.self) || Number(b.total - a.total) || (n < m ? -1 : 1),
        )
        expect(rows).toEqual(sorted)
      }),
    )
  })

  test('has the totals of the roots of the leaf-first tree as selves', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles }) => {
        const top = topTable(profiles, 0)
        const selves = new Map(Array.from(top.frame, (frame, i) => [frame, exactSelf(top, i)]))
        const tree = callTree(profiles, 0, { order: 'leaf-first' })
        for (let i = 0; i < tree.length; i++) {
          if (tree.parent[i] === NONE) expect(exactTotal(tree, i)).toBe(selves.get(tree.frame[i]))
        }
      }),
    )
  })

  test('agrees with every sandwich', () => {
    fc.assert(
      fc.property(arbitraryProfile, ({ profiles }) => {
        const top = topTable(profiles, 0)
        for (let i = 0; i < top.length; i++) {
          const { callers, callees } = sandwich(profiles, 0, top.frame[i])!
          for (const tree of [callers, callees]) {
            expect(tree.frame[0]).toBe(top.frame[i])
            expect(tree.end[0]).toBe(tree.length)
            expect(exactTotal(tree, 0)).toBe(exactTotal(top, i))
          }
        }
      }),
    )
  })
})

describe('diffs', () => {
  test('contain both trees and their difference', () => {
    fc.assert(
      fc.property(arbitraryProfile, arbitraryProfile, (one, two) => {
        const sides = [one, two].map(({ profiles }) => ({ profiles, selection: 0 }))
        const diff = diffTree(sides[0], sides[1])
        const delta = differences(diff.before, diff)
        const before = treeSums(one.samples, true, false)
        const after = treeSums(two.samples, true, false)
        const paths = pathsOf(diff)
        expect(new Set(paths)).toEqual(new Set([...before.keys(), ...after.keys()]))
        for (const [i, path] of paths.entries()) {
          const was = before.get(path)
          const is = after.get(path)
          expect(diff.presence[i]).toBe((was ? 1 : 0) + (is ? 2 : 0))
          expect(exactTotal(diff.before, i)).toBe(was?.total ?? 0n)
          expect(exactTotal(diff, i)).toBe(is?.total ?? 0n)
          expect(exactTotal(delta, i)).toBe((is?.total ?? 0n) - (was?.total ?? 0n))
          expect(exactSelf(delta, i)).toBe((is?.self ?? 0n) - (was?.self ?? 0n))
        }
      }),
    )
  })

  test('agree with the top tables of both sides', () => {
    fc.assert(
      fc.property(arbitraryProfile, arbitraryProfile, (one, two) => {
        const [before, after] = [one, two].map(({ profiles }) => {
          const top = topTable(profiles, 0)
          return new Map(Array.from(top.frame, (frame, i) => [top.frames.name[frame], exactTotal(top, i)]))
        })
        const diff = topDiff({ profiles: one.profiles, selection: 0 }, { profiles: two.profiles, selection: 0 })
        const names = Array.from(diff.frame, frame => diff.frames.name[frame])
        expect(new Set(names)).toEqual(new Set([...before.keys(), ...after.keys()]))
        for (const [i, name] of names.entries()) {
          expect(exactTotal(differences(diff.before, diff), i)).toBe((after.get(name) ?? 0n) - (before.get(name) ?? 0n))
        }
      }),
    )
  })
})
