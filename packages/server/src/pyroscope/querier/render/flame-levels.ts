// A tree as rows of numbers, one row per depth. A node has for each side the gap to the end of the previous node in the
// row, its total and its self value, and then the index of its name. Children begin where the parent's self value ends,
// so that each lies within its parent:
//
//   main 10 (self 2)                names  total, main, run, gc
//   ├ run 5                         row 0  0 10 0 0
//   └ gc  3                         row 1  0 10 2 1
//                                   row 2  2 5 5 2 | 0 3 3 3
import type { CutTree } from '../name-tree.ts'
import { ROOT_NAME } from '../name-tree.ts'

export interface FlameLevels {
  readonly names: readonly string[]
  readonly levels: readonly (readonly bigint[])[]
  /** By side. */
  readonly totals: readonly bigint[]
  readonly maxSelf: bigint
}

export function flameLevels({ nodes }: CutTree): FlameLevels {
  const names: string[] = [ROOT_NAME]
  const numbers = new Map([[ROOT_NAME, 0n]])
  const levels: bigint[][] = []
  const sides = nodes[0].total.length
  /** By depth and side: the end of the last node, and the start of the next child of the last node. */
  const ends: bigint[][] = []
  const starts: bigint[][] = [Array.from({ length: sides }, () => 0n)]
  let maxSelf = 0n
  for (const { depth, name, total, self } of nodes) {
    let number = numbers.get(name)
    if (number === undefined) numbers.set(name, (number = BigInt(names.push(name) - 1)))
    const row = (levels[depth] ??= [])
    const end = (ends[depth] ??= Array.from({ length: sides }, () => 0n))
    const start = starts[depth]
    const below = (starts[depth + 1] ??= [])
    for (let side = 0; side < sides; side++) {
      const at = start[side]
      row.push(at - end[side], total[side], self[side])
      end[side] = start[side] = at + total[side]
      below[side] = at + self[side]
      if (self[side] > maxSelf) maxSelf = self[side]
    }
    row.push(number)
  }
  return { names, levels, totals: nodes[0].total, maxSelf }
}
