// The samples of functions by line, as LLVM's sample profile has them. Lines are offsets from the first line of the function, so
// that a profile survives changes above it. An inlined function has its own samples at the line of the call.
//
//   main             total 7         main was sampled twice in its second line. `price` is inlined
//    line 1: 2                       into main's fourth line and was sampled 5 times there.
//    line 3: price   total 5
//     line 2: 5
import { stackWeights } from '../../analyze/stacks/stack-weights.ts'
import type { LocationIndex, StackIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import type { Profiles } from '../../model/columns/profiles.ts'

/** LLVM keeps 16 bits of a line offset. */
const OFFSET_MASK = 0xffffn

export interface FunctionSamples {
  /** The samples of the function, including those of functions inlined into it. */
  total: bigint
  /** Samples by line offset. */
  readonly body: Map<number, bigint>
  /** Functions inlined at a line offset, by name. */
  readonly inlined: Map<number, Map<string, FunctionSamples>>
}

export interface SampledFunctions {
  readonly functions: ReadonlyMap<string, FunctionSamples>
  /** Stacks that were skipped because the sampled code has no function, no line or no first line. */
  readonly withoutLines: number
  /** Stacks that were skipped because their sum is negative. */
  readonly negative: number
}

export function sampledFunctions(profiles: Profiles, rows: readonly number[]): SampledFunctions {
  const { stacks, weight, exact } = stackWeights(profiles, rows)
  const functions = new Map<string, FunctionSamples>()
  let withoutLines = 0
  let negative = 0
  for (const [slot, stack] of stacks.entries()) {
    const count = exact?.[slot] ?? BigInt(Math.round(weight[slot]))
    const calls = sampledCode(profiles.dictionary, stack as StackIndex)
    if (count < 0n) negative++
    else if (calls === undefined) withoutLines++
    else addSamples(functions, calls, count)
  }
  return { functions, withoutLines, negative }
}

interface InlinedCall {
  readonly name: string
  readonly offset: number
}

/** The function that ran, after the functions that it was inlined into. Undefined if one of them lacks a name or a line. */
function sampledCode(dictionary: Dictionary, stack: StackIndex): InlinedCall[] | undefined {
  const { stacks, locations, functions, strings } = dictionary
  const { lines } = locations
  if (stacks.from(stack) === stacks.to(stack)) return undefined
  const location: LocationIndex = stacks.locations.at(stacks.from(stack))
  const calls: InlinedCall[] = []
  // Lines are innermost first.
  for (let row = locations.linesTo(location) - 1; row >= locations.linesFrom(location); row--) {
    const called = lines.function(row)
    const line = lines.line(row)
    const startLine = functions.startLine(called)
    // The compiler knows functions by their mangled names.
    const name = strings.text(functions.systemName(called)) || strings.text(functions.name(called))
    if (name === '' || /\s/.test(name) || line <= 0n || startLine <= 0n) return undefined
    calls.push({ name, offset: Number((line - startLine) & OFFSET_MASK) })
  }
  return calls.length === 0 ? undefined : calls
}

function addSamples(functions: Map<string, FunctionSamples>, calls: readonly InlinedCall[], count: bigint): void {
  let named = functions
  for (const [depth, { name, offset }] of calls.entries()) {
    let samples = named.get(name)
    if (samples === undefined) {
      samples = { total: 0n, body: new Map(), inlined: new Map() }
      named.set(name, samples)
    }
    samples.total += count
    if (depth === calls.length - 1) {
      samples.body.set(offset, (samples.body.get(offset) ?? 0n) + count)
      continue
    }
    named = samples.inlined.get(offset) ?? new Map<string, FunctionSamples>()
    samples.inlined.set(offset, named)
  }
}
