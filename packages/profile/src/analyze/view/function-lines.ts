// The cost of functions by source line, from a table grouped by line.
//
//   top by line   price  shop.cc 12   self 3  total 3          price  shop.cc   lines 12, 14
//                 price  shop.cc 14   self 1  total 6    ──►     12   self 3    total 3
//                 main   shop.cc 40   self 0  total 6            14   self 1    total 6
import type { TopTable } from '../top.ts'
import { exactSelf, exactTotal } from '../tree/exact-values.ts'

export interface LineCost {
  readonly line: number
  readonly self: bigint
  readonly total: bigint
}

export interface FunctionLines {
  readonly name: string
  /** The source file; empty if it is unknown. */
  readonly file: string
  /** `profile.frame.type`, such as native or v8js; empty if it is unknown. */
  readonly type: string
  /** By line number. Line 0 has what belongs to no known line. */
  readonly lines: readonly LineCost[]
  readonly self: bigint
  /** The build ids of the binaries with the function; empty if they are unknown. */
  readonly buildIds: readonly string[]
}

/** The functions of a table grouped by line that `matches` accepts, the largest self value first. */
export function functionLines(top: TopTable, matches: (name: string, file: string) => boolean): FunctionLines[] {
  const functions = new Map<string, FunctionLines & { lines: LineCost[]; self: bigint; buildIds: string[] }>()
  const { frames } = top
  for (let row = 0; row < top.length; row++) {
    const frame = top.frame[row]
    const name = frames.name[frame]
    const file = frames.file[frame]
    if ((frames.attribute?.[frame] ?? '') !== '' || !matches(name, file)) continue
    const key = JSON.stringify([name, file])
    let found = functions.get(key)
    if (found === undefined) {
      found = { name, file, type: frames.type[frame], lines: [], self: 0n, buildIds: [] }
      functions.set(key, found)
    }
    const buildId = frames.buildId?.[frame] ?? ''
    if (buildId !== '' && !found.buildIds.includes(buildId)) found.buildIds.push(buildId)
    const self = exactSelf(top, row)
    found.lines.push({ line: Number(frames.line[frame]), self, total: exactTotal(top, row) })
    found.self += self
  }
  for (const { lines } of functions.values()) lines.sort((a, b) => a.line - b.line)
  const size = ({ lines }: FunctionLines): bigint =>
    lines.reduce((most, { total }) => (total > most ? total : most), 0n)
  return [...functions.values()].sort((a, b) => {
    const [first, second] = a.self === b.self ? [size(a), size(b)] : [a.self, b.self]
    return first === second ? (a.name < b.name ? -1 : 1) : first > second ? -1 : 1
  })
}
