// The call graph of the largest functions. A stack counts once in a node and once in an edge, even with recursion. Calls
// through hidden functions become indirect edges between shown functions.
import { exactTotal, exactSelf, exactSum } from '../../analyze/tree/exact-values.ts'
import type { LocationFrames } from '../../analyze/stacks/location-frames.ts'
import { stackPaths } from '../../analyze/stacks/stack-paths.ts'
import type { ProfileSelection } from '../../analyze/stacks/stack-weights.ts'
import { stackWeights } from '../../analyze/stacks/stack-weights.ts'
import { topTable } from '../../analyze/top.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { compareLongs } from '../../model/columns/order.ts'

export interface GraphNode {
  readonly frame: number
  readonly self: bigint
  readonly total: bigint
}

export interface GraphEdge {
  /** Rows of `nodes`. */
  readonly from: number
  readonly to: number
  readonly weight: bigint
  /** True if at least one call goes through hidden functions. */
  readonly indirect: boolean
}

export interface CallGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly hiddenNodes: number
  readonly hiddenEdges: number
  /** The sum of the self values of the shown functions. */
  readonly shown: bigint
  readonly sum: bigint
}

export interface GraphLimits {
  readonly maxNodes: number
  /** Edges below this share of the total are hidden. */
  readonly minShare: number
}

export function callGraph(
  profiles: Profiles,
  selection: ProfileSelection,
  frames: LocationFrames,
  limits: GraphLimits,
): CallGraph {
  const top = topTable(profiles, selection, { frames })
  const all = Array.from(top.frame, (frame, i) => ({ frame, self: exactSelf(top, i), total: exactTotal(top, i) }))
  const bySize = all.toSorted(
    (a, b) => compareLongs(size(b.total), size(a.total)) || compareLongs(size(b.self), size(a.self)),
  )
  const nodes = bySize.slice(0, limits.maxNodes)
  const rows = new Map(nodes.map(({ frame }, i) => [frame, i]))
  const edges = edgesOf(profiles, selection, frames, rows)
  const least = Number(size(top.sum)) * limits.minShare
  const kept = edges.filter(({ weight }) => Number(size(weight)) >= least && weight !== 0n)
  return {
    nodes,
    edges: kept.toSorted((a, b) => compareLongs(size(b.weight), size(a.weight)) || a.from - b.from || a.to - b.to),
    hiddenNodes: all.length - nodes.length,
    hiddenEdges: edges.length - kept.length,
    shown: nodes.reduce((sum, { self }) => sum + self, 0n),
    sum: top.sum,
  }
}

function edgesOf(
  profiles: Profiles,
  selection: ProfileSelection,
  frames: LocationFrames,
  rows: ReadonlyMap<number, number>,
): GraphEdge[] {
  const weights = stackWeights(profiles, selection)
  const paths = stackPaths(frames, weights)
  const edges = new Map<string, { from: number; to: number; weight: bigint; indirect: boolean }>()
  for (let s = 0; s < weights.stacks.length; s++) {
    const value = exactSum(weights.weight[s], weights.exact?.[s])
    const length = paths.read(s)
    const seen = new Set<string>()
    let from: number | undefined
    let indirect = false
    for (let k = 0; k < length; k++) {
      const to = rows.get(paths.path[k])
      if (to === undefined) {
        indirect = true
        continue
      }
      // A function that calls itself through hidden functions is not informative.
      if (from !== undefined && !(indirect && from === to)) {
        const key = `${from},${to}`
        const edge = edges.get(key) ?? { from, to, weight: 0n, indirect: false }
        if (!seen.has(key)) edge.weight += value
        edge.indirect ||= indirect
        seen.add(key)
        edges.set(key, edge)
      }
      from = to
      indirect = false
    }
  }
  return [...edges.values()]
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value
}
