// Random profiles together with a plain list of their samples, for property tests.
import fc from 'fast-check'
import type { FunctionIndex, LocationIndex } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { MAX_INT64, MIN_INT64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'

export interface PlainSample {
  /** Names of functions, root first, inlined ones included. */
  readonly path: readonly string[]
  /** True if the function was inlined into the one before it in the path. */
  readonly inlined: readonly boolean[]
  readonly value: bigint
  /** The value of thread.name; empty if the sample has none. */
  readonly thread: string
}

export interface ArbitraryProfile {
  readonly profiles: Profiles
  readonly samples: readonly PlainSample[]
  /** Shows a counterexample without its columns. */
  readonly [fc.toStringMethod]: () => string
}

/** Few names, so that stacks share prefixes, recur and repeat. */
const names = ['a', 'b', 'c', 'd', 'e']

const value = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: -20n, max: 100n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: MIN_INT64, max: MAX_INT64 }) },
  { weight: 1, arbitrary: fc.constantFrom(MIN_INT64, MAX_INT64, 2n ** 53n, 2n ** 53n + 1n, 0n) },
)
const smallValue = fc.bigInt({ min: -20n, max: 100n })
const observed = (one: fc.Arbitrary<bigint>): fc.Arbitrary<{ values: bigint[]; timestamps: bigint[] }> =>
  fc.oneof(
    one.map(v => ({ values: [v], timestamps: [] })),
    fc.array(one, { maxLength: 3 }).map(values => ({ values, timestamps: values.map((_, i) => BigInt(i)) })),
    fc.nat({ max: 3 }).map(n => ({ values: [], timestamps: Array.from({ length: n }, (_, i) => BigInt(i)) })),
  )
const frame = fc.record({ name: fc.constantFrom(...names), inlined: fc.boolean() })
const thread = fc.constantFrom('', 'a', 'worker')
const samplesOf = (one: fc.Arbitrary<bigint>): fc.Arbitrary<readonly Row[]> =>
  fc.array(fc.tuple(fc.array(frame, { maxLength: 6 }), observed(one), thread), { maxLength: 12 })

/** Values reach the limits of int64, so that sums leave it. Stacks have up to six functions. */
export const arbitraryProfile: fc.Arbitrary<ArbitraryProfile> = fc
  .oneof(samplesOf(value), samplesOf(smallValue))
  .map(build)

type Row = readonly [Frame[], Observed, thread: string]

interface Frame {
  readonly name: string
  readonly inlined: boolean
}

interface Observed {
  readonly values: bigint[]
  readonly timestamps: bigint[]
}

function build(rows: readonly Row[]): ArbitraryProfile {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'ns' })
  const samples: PlainSample[] = []
  for (const [frames, { values, timestamps }, name] of rows) {
    const groups: FunctionIndex[][] = []
    const inlined = frames.map((f, i) => f.inlined && i > 0)
    for (const [i, { name: called }] of frames.entries()) {
      const row = builder.function({ name: called })
      if (inlined[i]) groups.at(-1)!.unshift(row)
      else groups.push([row])
    }
    const locations: LocationIndex[] = groups.map(group =>
      builder.location({ lines: group.map(f => ({ function: f })) }),
    )
    const attributes = name === '' ? [] : [builder.attribute('thread.name', name)]
    builder.sample({ stack: builder.stack(locations.reverse()), values, timestamps, attributes })
    const sum = values.length > 0 ? values.reduce((a, b) => a + b, 0n) : BigInt(timestamps.length)
    // A sample of zeros adds no nodes; see stack-weights.ts.
    if (values.some(v => v !== 0n) || (values.length === 0 && timestamps.length > 0)) {
      samples.push({ path: frames.map(f => f.name), inlined, value: sum, thread: name })
    }
  }
  const toString = (): string => fc.stringify(samples)
  return { profiles: builder.build(), samples, [fc.toStringMethod]: toString }
}
