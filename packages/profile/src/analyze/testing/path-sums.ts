// Compares trees with naive sums by the text of each path.
import { exactSelf, exactTotal } from '../tree/exact-values.ts'
import { expect } from 'vitest'
import type { PlainSample } from './arbitrary-profile.ts'
import type { CallTree } from '../tree/call-tree.ts'
import { ROOT } from '../tree/call-tree.ts'

export interface Stack {
  readonly path: readonly string[]
  readonly value: bigint
}

/** A stack without frames has the unknown frame. */
export function valuesOf(samples: readonly PlainSample[]): Stack[] {
  return samples.map(({ path, value }) => ({ path: path.length === 0 ? ['[unknown]'] : path, value }))
}

interface Sums {
  self: bigint
  total: bigint
}

function pathSums(stacks: readonly Stack[]): Map<string, Sums> {
  const sums = new Map<string, Sums>()
  for (const { path, value } of stacks) {
    for (let length = 1; length <= path.length; length++) {
      const key = path.slice(0, length).join('/')
      const sum = sums.get(key) ?? { self: 0n, total: 0n }
      sums.set(key, sum)
      sum.total += value
      if (length === path.length) sum.self += value
    }
  }
  return sums
}

/** Checks that every node of the tree is a path of the stacks with its sums, and that every path is a node. */
export function expectSums(tree: CallTree, stacks: readonly Stack[]): void {
  const sums = pathSums(stacks)
  const paths: string[] = []
  const found: [string, bigint, bigint][] = []
  const problems: string[] = []
  for (let i = 0; i < tree.length; i++) {
    const above = tree.parent[i]
    const name = tree.frames.name[tree.frame[i]]
    paths.push(above === ROOT ? name : `${paths[above]}/${name}`)
    found.push([paths[i], exactSelf(tree, i), exactTotal(tree, i)])
    if (tree.depth[i] !== (above === ROOT ? 0 : tree.depth[above] + 1)) problems.push(`depth of ${paths[i]}`)
    if (tree.end[i] > (above === ROOT ? tree.length : tree.end[above]) || tree.end[i] <= i)
      problems.push(`end of ${paths[i]}`)
  }
  const known = new Set(paths)
  for (const [path, { total }] of sums) if (total !== 0n && !known.has(path)) problems.push(`${path} is missing`)
  // One comparison per tree. A thousand small ones take seconds.
  expect(found).toEqual(paths.map(path => [path, sums.get(path)?.self ?? 0n, sums.get(path)?.total ?? 0n]))
  expect([problems, known.size, tree.sum]).toEqual([
    [],
    tree.length,
    stacks.reduce((sum, { value }) => sum + value, 0n),
  ])
}
