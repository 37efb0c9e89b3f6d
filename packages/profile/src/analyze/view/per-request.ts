// Diffs of sides that are not equally large: per request, or with the baseline scaled.
import type { CallTree, TreeSide } from '../tree/call-tree.ts'

/**
 * Divides both sides of a diff by the number of slow requests. The server has scaled the baseline to that number, so the result
 * is per request on both sides.
 */
export function perRequest(tree: CallTree, requests: number): CallTree {
  return { ...tree, ...divided(tree, requests), before: tree.before && divided(tree.before, requests) }
}

/** Multiplies the values of the baseline, so that both sides have one divisor. */
export function scaledBaseline(tree: CallTree, factor: number): CallTree {
  return { ...tree, before: tree.before && divided(tree.before, 1 / factor) }
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
