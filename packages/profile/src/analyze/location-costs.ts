// The self and total values of locations, one by one or in groups: the cost of instructions and of functions.
import type { LocationIndex, StackIndex } from '../model/columns/brand.ts'
import type { Dictionary } from '../model/columns/dictionary.ts'
import type { StackWeights } from './stacks/stack-weights.ts'

export interface LocationCost {
  readonly self: bigint
  readonly total: bigint
}

/** The cost of each group of locations. A stack counts once in the total of a group, even if several of its locations recur. */
export function locationCosts<Group>(
  { stacks: table }: Pick<Dictionary, 'stacks'>,
  groups: ReadonlyMap<LocationIndex, Group>,
  { stacks, weight, exact }: Pick<StackWeights, 'stacks' | 'weight' | 'exact'>,
): ReadonlyMap<Group, LocationCost> {
  const costs = new Map<Group, { self: bigint; total: bigint; counted: number }>()
  const { locations } = table
  for (let s = 0; s < stacks.length; s++) {
    const stack = stacks[s] as StackIndex
    const from = table.from(stack)
    for (let k = from, to = table.to(stack); k < to; k++) {
      const group = groups.get(locations.at(k))
      if (group === undefined) continue
      let cost = costs.get(group)
      if (cost === undefined) costs.set(group, (cost = { self: 0n, total: 0n, counted: -1 }))
      const value = exact === undefined ? BigInt(Math.round(weight[s])) : exact[s]
      if (k === from) cost.self += value
      if (cost.counted === s) continue
      cost.counted = s
      cost.total += value
    }
  }
  return costs
}
