// Stacks as slices of one list, root first. A stack that is a prefix of another takes no extra room, as in the document's
// examples. stack-order.ts explains why slices are used only if some stacks share a start.
import type { StackIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'

export interface StackSlices {
  /** Location numbers. */
  readonly locations: GrowingInts
  /** The start of each stack's slice. */
  readonly starts: ReadonlyMap<number, number>
}

/** `stacks` are rows in order of first use. `numberOf` returns the number of a location row in the file. */
export function stackSlices(
  dictionary: Dictionary,
  stacks: ReadonlySet<number>,
  numberOf: (location: number) => number,
): StackSlices {
  // Locations are numbered first, in order of use. Dictionary rows would give another layout when the file is read again.
  const paths = new Map<number, Int32Array>()
  const { stacks: table } = dictionary
  for (const stack of stacks) {
    const from = table.from(stack as StackIndex)
    const depth = table.to(stack as StackIndex) - from
    if (depth === 0) continue
    const path = new Int32Array(depth)
    for (let k = 0; k < depth; k++) path[k] = numberOf(table.locations.at(from + depth - 1 - k))
    paths.set(stack, path)
  }
  // In this order a stack that is a prefix of any other is a prefix of the next one.
  const sorted = [...paths].sort(([, a], [, b]) => compare(a, b))
  const locations = new GrowingInts()
  const starts = new Map<number, number>()
  for (let i = sorted.length - 1; i >= 0; i--) {
    const [stack, path] = sorted[i]
    const next = i + 1 < sorted.length ? sorted[i + 1] : undefined
    if (next !== undefined && isBeginning(path, next[1])) starts.set(stack, starts.get(next[0])!)
    else {
      starts.set(stack, locations.length)
      locations.pushAll(path, 0, path.length)
    }
  }
  return { locations, starts }
}

function compare(a: Int32Array, b: Int32Array): number {
  const depth = Math.min(a.length, b.length)
  for (let k = 0; k < depth; k++) if (a[k] !== b[k]) return a[k] - b[k]
  return a.length - b.length
}

function isBeginning(a: Int32Array, b: Int32Array): boolean {
  if (a.length >= b.length) return false
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false
  return true
}
