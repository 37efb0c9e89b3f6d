// Flame graphs as sums by path. Rows of numbers that clients receive are nested by their intervals. The call tree that
// analyze builds in memory must have the same paths.
import type { Profiles } from '@hearth/profile'
import { callTree, exactSelf, exactTotal } from '@hearth/profile'

/** From `main;run` to self and total, for each side of a diff. */
export type Paths = Readonly<Record<string, string>>

interface Box {
  readonly path: string
  readonly from: readonly bigint[]
  readonly to: readonly bigint[]
}

/** Throws if a node lies in no parent, overlaps another, or occurs twice. */
export function pathsOfLevels(names: readonly string[], levels: readonly (readonly bigint[])[], sides = 1): Paths {
  const paths: Record<string, string> = {}
  const width = 3 * sides + 1
  let above: Box[] = []
  for (const [depth, row] of levels.entries()) {
    if (row.length % width !== 0) throw new Error(`row ${depth} has ${row.length} numbers`)
    const boxes: Box[] = []
    const ends = Array.from({ length: sides }, () => 0n)
    for (let at = 0; at < row.length; at += width) {
      const from = ends.map((end, side) => end + row[at + 3 * side])
      const to = from.map((start, side) => start + row[at + 3 * side + 1])
      if (from.some((start, side) => start < ends[side])) throw new Error(`nodes of row ${depth} overlap`)
      for (const [side, end] of to.entries()) ends[side] = end
      const name = names[Number(row[at + width - 1])]
      const isIn = (box: Box): boolean =>
        from.every((start, side) => start >= box.from[side] && to[side] <= box.to[side]) &&
        from.some((start, side) => start < to[side] && start < box.to[side])
      const parents = depth === 0 ? [] : above.filter(isIn)
      if (depth > 0 && parents.length !== 1) throw new Error(`${name} of row ${depth} is in ${parents.length} parents`)
      const path = depth === 0 ? name : depth === 1 ? name : `${parents[0].path};${name}`
      const text = from.map((_, side) => `${row[at + 3 * side + 2]}/${row[at + 3 * side + 1]}`).join(' ')
      if (depth > 0) {
        if (path in paths) throw new Error(`${path} is there twice`)
        paths[path] = text
      }
      boxes.push({ path, from, to })
    }
    above = boxes
  }
  return paths
}

/** The same sums from the profiles' samples, by name only. */
export function pathsOfProfiles(...sides: readonly Profiles[]): Paths {
  const sums = new Map<string, { self: bigint; total: bigint }[]>()
  for (const [side, profiles] of sides.entries()) {
    const tree = callTree(profiles, 0)
    const paths: string[] = []
    for (let i = 0; i < tree.length; i++) {
      const above = tree.parent[i]
      const name = tree.frames.name[tree.frame[i]]
      const path = (paths[i] = above < 0 ? name : `${paths[above]};${name}`)
      const each = sums.get(path) ?? sides.map(() => ({ self: 0n, total: 0n }))
      each[side].self += exactSelf(tree, i)
      each[side].total += exactTotal(tree, i)
      sums.set(path, each)
    }
  }
  return Object.fromEntries(
    [...sums].map(([path, each]) => [path, each.map(({ self, total }) => `${self}/${total}`).join(' ')]),
  )
}
