// Values per request: the sums of two sets of traces can be compared only if they are divided by the number of traces.
import type { CallTree, TreeSide } from '@hearth/profile'

/** The number of requests of each side. */
export interface RequestCounts {
  readonly before: number
  readonly after: number
}

/** Divides the values of each side of a diff by its number of requests. */
export function perRequest(tree: CallTree, { before, after }: RequestCounts): CallTree {
  return { ...tree, ...divided(tree, after), before: tree.before && divided(tree.before, before) }
}

function divided({ self, total, selfExact, totalExact, sum }: TreeSide, count: number): TreeSide {
  const divide = (values: Float64Array, exact: BigInt64Array | undefined): Float64Array =>
    exact === undefined ? values.map(value => value / count) : Float64Array.from(exact, value => Number(value) / count)
  return {
    self: divide(self, selfExact),
    total: divide(total, totalExact),
    selfExact: undefined,
    totalExact: undefined,
    sum: BigInt(Math.round(Number(sum) / count)),
  }
}
