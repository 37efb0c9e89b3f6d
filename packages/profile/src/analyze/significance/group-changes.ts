// Groups significant increases that have one cause, and finds the function where the change enters.
//
//   main ─ handle ─ render ─ escape     escape costs more, and so do the totals of all its callers: one group, cause escape
//                 └ sort                render calls escape more often, others do not: cause render
//
// The search starts at the function with the largest significant increase of its own cost. It moves to a caller in two cases: the
// increase is confined to that caller, or the caller grew as a whole because several of its callees did. A new function is the cause
// itself, unless its caller is new too.
import type { StackPaths } from '../stacks/stack-paths.ts'
import type { SidesComparison } from './compare-sides.ts'

export interface GroupChangesOptions {
  /** The largest false discovery rate of a significant change. */
  readonly maxRate: number
}

/** Functions are rows of the frame table. */
export interface ChangeGroup {
  /** The function where the change enters, then other candidates: its callers on the way to the root. */
  readonly causes: readonly number[]
  /** All functions of the group with a significant increase, the cause included. */
  readonly functions: readonly number[]
  /** Functions whose own cost fell in return, because cost moved from them to the cause. */
  readonly decreased: readonly number[]
  /** The change of the cause's total, minus what it took over from the decreased functions. In values of the side afterwards. */
  readonly change: number
  /** The value of the cause's total if nothing had changed. */
  readonly before: number
}

/** The caller that has this share of an increase is where it comes from. */
const CONFINED = 0.8
/** A caller with more than this share of the cost before is the usual caller, and confines nothing. */
const USUAL = 0.6
/** A caller that grew nearly as much as its callee, in relation to its cost, grew as a whole. */
const AS_A_WHOLE = 0.7
/** The part of a function's change that a cause must explain. */
const EXPLAINED = 0.5

/**
 * `weights` has the values of each stack before, scaled to the side afterwards, and afterwards. A group whose cost only moved between
 * functions that share a caller is dropped if less than half of it is new cost.
 */
export function groupChanges(
  paths: StackPaths,
  weights: readonly [before: Float64Array, after: Float64Array],
  compared: SidesComparison,
  { maxRate }: GroupChangesOptions,
): ChangeGroup[] {
  const stacks = new ChangedStacks(paths, weights)
  const row = new Map(Array.from(compared.frame, (f, i) => [f, i]))
  const isSignificant = (kind: 'self' | 'total', f: number, sign: 1 | -1): boolean => {
    const i = row.get(f)
    if (i === undefined) return false
    const { q, before, after } = compared[kind]
    return q[i] <= maxRate && sign * (after[i] - before[i]) > 0
  }
  const grown = Array.from(compared.frame).filter(f => isSignificant('self', f, 1) || isSignificant('total', f, 1))
  const fallen = Array.from(compared.frame).filter(f => isSignificant('self', f, -1))
  const open = new Set(grown)
  const groups: ChangeGroup[] = []
  while (open.size > 0) {
    const start = largest(open, f => (isSignificant('self', f, 1) ? stacks.self(f) : -Infinity))
    const first = start ?? largest(open, f => stacks.total(f).change)
    if (first === undefined) break
    const chain = stacks.chainTo(first)
    const cause = chain.at(-1)!
    const explained = stacks.sharedWith(cause)
    const functions = [...open].filter(
      f => f === cause || f === first || explained(f) >= EXPLAINED * stacks.total(f).change,
    )
    for (const f of functions) open.delete(f)
    const own = stacks.total(cause)
    const moved = fallen.filter(f => stacks.areSiblings(f, cause))
    const taken = Math.min(
      own.change,
      moved.reduce((sum, f) => sum - stacks.self(f), 0),
    )
    if (own.change <= 0 || own.change - taken < EXPLAINED * own.change) continue
    groups.push({
      causes: [cause, ...chain.slice(0, -1).toReversed(), ...stacks.callersOf(cause).slice(0, 3)].filter(
        (f, i, all) => all.indexOf(f) === i,
      ),
      functions: [cause, ...functions.filter(f => f !== cause)],
      decreased: moved,
      change: own.change - taken,
      before: own.before,
    })
  }
  return groups.sort((a, b) => b.change - a.change)
}

interface Cost {
  readonly before: number
  readonly change: number
}

/** The costs of functions and of their callers, computed when they are needed: only few functions change. */
class ChangedStacks {
  readonly #paths: StackPaths
  readonly #before: Float64Array
  readonly #after: Float64Array
  readonly #totals = new Map<number, Cost>()
  readonly #selves: Float64Array

  constructor(paths: StackPaths, [before, after]: readonly [Float64Array, Float64Array]) {
    this.#paths = paths
    this.#before = before
    this.#after = after
    this.#selves = new Float64Array(paths.frames.length)
    for (let s = 0; s < before.length; s++) {
      const depth = paths.read(s)
      this.#selves[paths.path[depth - 1]] += after[s] - before[s]
    }
  }

  /** The change of the function's own cost. */
  self(f: number): number {
    return this.#selves[f]
  }

  total(f: number): Cost {
    const known = this.#totals.get(f)
    if (known !== undefined) return known
    const cost = this.#sum(path => path.includes(f))
    this.#totals.set(f, cost)
    return cost
  }

  /** The function, and the callers to which its increase leads. The last one is the cause. */
  chainTo(f: number): number[] {
    const chain = [f]
    for (;;) {
      const current = chain.at(-1)!
      const own = this.total(current)
      const [caller] = this.callersOf(current)
      if (caller === undefined || chain.includes(caller)) return chain
      const through = this.#sum(path => path.indexOf(caller) >= 0 && path.indexOf(caller) < path.lastIndexOf(current))
      const all = this.total(caller)
      const isUnusual = own.before > 0 ? through.before <= USUAL * own.before : all.before <= 0
      const isConfined = through.change >= CONFINED * own.change && isUnusual
      const grew = all.change > own.change / CONFINED && growth(all) >= AS_A_WHOLE * growth(own)
      if (!isConfined && !grew) return chain
      chain.push(caller)
    }
  }

  /** Direct callers, by the change of the function's cost in them, largest first. */
  callersOf(f: number): number[] {
    const changes = new Map<number, number>()
    this.#each((path, before, after) => {
      const at = path.indexOf(f)
      if (at > 0) changes.set(path[at - 1], (changes.get(path[at - 1]) ?? 0) + after - before)
    })
    return [...changes].sort((a, b) => b[1] - a[1]).map(([caller]) => caller)
  }

  /** The change of each function in stacks that contain the cause. */
  sharedWith(cause: number): (f: number) => number {
    const changes = new Map<number, number>()
    this.#each((path, before, after) => {
      if (!path.includes(cause)) return
      for (const f of new Set(path)) changes.set(f, (changes.get(f) ?? 0) + after - before)
    })
    return f => changes.get(f) ?? 0
  }

  /** Whether both have the same direct caller, or one calls the other. */
  areSiblings(a: number, b: number): boolean {
    const [ofA, ofB] = [this.callersOf(a), this.callersOf(b)]
    return ofA.includes(b) || ofB.includes(a) || ofA.some(caller => ofB.includes(caller))
  }

  #sum(includes: (path: Int32Array) => boolean): Cost {
    let [before, change] = [0, 0]
    this.#each((path, was, is) => {
      if (!includes(path)) return
      before += was
      change += is - was
    })
    return { before, change }
  }

  #each(visit: (path: Int32Array, before: number, after: number) => void): void {
    for (let s = 0; s < this.#before.length; s++) {
      if (this.#before[s] === 0 && this.#after[s] === 0) continue
      const depth = this.#paths.read(s)
      visit(this.#paths.path.subarray(0, depth), this.#before[s], this.#after[s])
    }
  }
}

function growth({ before, change }: Cost): number {
  return before <= 0 ? Infinity : change / before
}

function largest(values: Iterable<number>, size: (value: number) => number): number | undefined {
  let [found, most]: [number | undefined, number] = [undefined, 0]
  for (const value of values) {
    const own = size(value)
    if (own > most) [found, most] = [value, own]
  }
  return found
}
