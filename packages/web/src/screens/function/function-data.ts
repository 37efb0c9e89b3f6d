// The queries of a function's page, without the DOM.
import type { CallTree } from '@hearth/profile'
import { ROOT } from '@hearth/profile'
import type { FunctionName } from '../../address/route.ts'
import type { Query, StackFilter } from '../../address/query.ts'
import type { FrameName, SandwichTrees, TopColumns } from '../../api/profile-source.ts'

/** The filter that selects stacks with the function. */
export function stackOf({ name, file }: FunctionName, place: StackFilter['place'] = 'frame'): StackFilter {
  const filter = { negated: false, place, regex: false, name } as const
  return file === '' ? filter : { ...filter, file }
}

/** The query limited to stacks with the function. */
export function withFunction(query: Query, of: FunctionName): Query {
  return { ...query, stacks: [...query.stacks, stackOf(of)] }
}

export interface FunctionSums {
  readonly self: number
  readonly total: number
  /** The total of all samples of the query. */
  readonly all: bigint
}

/** The root of the callees is the function. If it calls itself, its other nodes are below the root and have self values, too. */
export function sumsOf({ callees, sum }: SandwichTrees): FunctionSums {
  const { frames, frame, parent } = callees
  const nameOf = (node: number): string => `${frames.name[frame[node]]}\n${frames.file[frame[node]]}`
  const names = new Set<string>()
  let total = 0
  for (let node = 0; node < callees.length; node++) {
    if (parent[node] !== ROOT) continue
    names.add(nameOf(node))
    total += callees.total[node]
  }
  let self = 0
  for (let node = 0; node < callees.length; node++) if (names.has(nameOf(node))) self += callees.self[node]
  return { self, total, all: sum }
}

export interface RelatedFunction extends FrameName {
  readonly total: number
}

/** The direct callers or callees of the function, which are the children of its node, largest first. */
export function relatedOf(tree: CallTree): readonly RelatedFunction[] {
  const found = new Map<string, RelatedFunction>()
  for (let node = 0; node < tree.length; node++) {
    const parent = tree.parent[node]
    if (parent === ROOT || tree.parent[parent] !== ROOT) continue
    const frame = tree.frame[node]
    const [name, file] = [tree.frames.name[frame], tree.frames.file[frame]]
    const key = `${name}\n${file}`
    found.set(key, { name, file, total: (found.get(key)?.total ?? 0) + tree.total[node] })
  }
  return [...found.values()].toSorted((a, b) => b.total - a.total)
}

/** The rows of the function's own lines, by line. */
export function linesOf(lines: TopColumns, { name, file }: FunctionName): readonly number[] {
  const { frames, frame } = lines
  const rows: number[] = []
  for (let row = 0; row < lines.length; row++) {
    const of = frame[row]
    if (frames.name[of] === name && (file === '' || frames.file[of] === file)) rows.push(row)
  }
  return rows.toSorted((a, b) => Number(frames.line[frame[a]]) - Number(frames.line[frame[b]]))
}
