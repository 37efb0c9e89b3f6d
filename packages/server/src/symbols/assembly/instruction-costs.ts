// Adds the cost of addresses in profiles to instructions. The address of a call is inside of the instruction that called, so the
// instruction that contains the address has the cost.
//
//   instruction    0x10 mov    0x13 call         0x18 test
//   address        0x10        0x17
import type { CalledCode, LocationCost, LocationIndex } from '@hearth/profile'
import { compareLongs, locationCosts } from '@hearth/profile'
import type { SourceInstruction } from './function-assembly.ts'

export interface CostedInstruction extends SourceInstruction, LocationCost {}

const FREE: LocationCost = { self: 0n, total: 0n }

/** `instructions` are in the order of their addresses. */
export function instructionCosts(
  instructions: readonly SourceInstruction[],
  addresses: CalledCode['addresses'],
  costs: CodeCosts['byLocation'],
): CostedInstruction[] {
  const found = instructions.map(instruction => ({ ...instruction, ...FREE }))
  const byAddress = [...addresses].toSorted(([, a], [, b]) => compareLongs(a, b))
  let at = 0
  for (const [location, address] of byAddress) {
    const { self, total } = costs.get(location) ?? FREE
    while (at < found.length && found[at].address + BigInt(found[at].size) <= address) at++
    if (at === found.length) break
    if (address < found[at].address) continue
    found[at] = { ...found[at], self: found[at].self + self, total: found[at].total + total }
  }
  return found
}

/** Functions with a cost and the costs of their locations. */
export interface CodeCosts {
  /** The largest self value first. */
  readonly functions: readonly { readonly code: CalledCode; readonly cost: LocationCost }[]
  readonly byLocation: ReadonlyMap<LocationIndex, LocationCost>
}

export function codeCosts(
  codes: readonly CalledCode[],
  dictionary: Parameters<typeof locationCosts>[0],
  weights: Parameters<typeof locationCosts>[2],
): CodeCosts {
  const locations = codes.flatMap(code => [...code.addresses.keys()].map(location => ({ location, code })))
  const byCode = locationCosts(dictionary, new Map(locations.map(({ location, code }) => [location, code])), weights)
  const byLocation = locationCosts(dictionary, new Map(locations.map(({ location }) => [location, location])), weights)
  const functions = [...byCode]
    .map(([code, cost]) => ({ code, cost }))
    .filter(({ cost }) => cost.total !== 0n)
    .toSorted((a, b) => compareLongs(b.cost.self, a.cost.self) || compareLongs(b.cost.total, a.cost.total))
  return { functions, byLocation }
}
