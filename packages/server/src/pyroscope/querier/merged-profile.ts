// All selected data as one profile with files, lines and mappings, for pprof and DOT. Stacks come from the query
// engine's tree by line, which is in memory. It has no addresses and no labels of samples.
import type { FrameTable, LocationIndex, Profiles } from '@hearth/profile'
import { ProfilesBuilder, exactSelf, exactTotal } from '@hearth/profile'
import type { FlameGraph } from '../../query/trees/flame-graph.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import { OTHER_NAME } from './name-tree.ts'
import type { Part, TimeRange } from './part-queries.ts'
import type { PyroscopeType } from './profile-type.ts'

/** The maximum number of calls in the whole profile: 80 MB. */
const MAX_CALLS = 20_000_000

/** `graphs` are the engine's trees of the parts, by line. Throws Refusal if the profile is too large. */
export function mergedProfile(
  type: PyroscopeType,
  { from, to }: TimeRange,
  graphs: readonly { readonly part: Part; readonly graph: FlameGraph }[],
): Profiles {
  const builder = new ProfilesBuilder()
  builder.profile({
    type: type.sampleType,
    unit: type.sampleUnit,
    periodType: type.periodType,
    periodUnit: type.periodUnit,
    timeUnixNano: from,
    durationNano: to - from,
  })
  const sums = new StackSums(builder)
  for (const { part, graph } of graphs) sums.add(graph, part.factor)
  sums.finish()
  return builder.build()
}

class StackSums {
  readonly #builder: ProfilesBuilder
  readonly #sums = new Map<number, bigint>()
  readonly #other: LocationIndex
  #calls = 0

  constructor(builder: ProfilesBuilder) {
    this.#builder = builder
    this.#other = builder.location({ lines: [{ function: builder.function({ name: OTHER_NAME }) }] })
  }

  add(graph: FlameGraph, factor: bigint): void {
    const locations = graph.frames.name.map((_, i) => this.#location(graph.frames, i))
    const rest = Array.from({ length: graph.length }, (_, i) => exactTotal(graph, i) - exactSelf(graph, i))
    let hidden = graph.sum
    for (let i = 0; i < graph.length; i++) {
      const above = graph.parent[i]
      if (above < 0) hidden -= exactTotal(graph, i)
      else rest[above] -= exactTotal(graph, i)
    }
    /** Locations from the root to the previous node. */
    const path: LocationIndex[] = []
    for (let i = 0; i < graph.length; i++) {
      path.length = graph.depth[i]
      path.push(locations[graph.frame[i]])
      this.#add(path, exactSelf(graph, i) * factor)
      this.#add([...path, this.#other], rest[i] * factor)
    }
    this.#add([this.#other], hidden * factor)
  }

  #location({ name, file, line, mapping }: FrameTable, i: number): LocationIndex {
    const builder = this.#builder
    return builder.location({
      mapping: builder.mapping({ filename: mapping[i] }),
      lines: [{ function: builder.function({ name: name[i], filename: file[i] }), line: BigInt(line[i]) }],
    })
  }

  #add(rootFirst: readonly LocationIndex[], value: bigint): void {
    if (value === 0n) return
    this.#calls += rootFirst.length
    if (this.#calls > MAX_CALLS)
      throw new Refusal(
        422,
        Code.resourceExhausted,
        'query',
        `stacks of more than ${MAX_CALLS} calls; use a shorter range or set max_nodes`,
      )
    const stack = this.#builder.stack(rootFirst.toReversed())
    this.#sums.set(stack, (this.#sums.get(stack) ?? 0n) + value)
  }

  finish(): void {
    for (const [stack, value] of this.#sums) {
      if (BigInt.asIntN(64, value) !== value)
        throw new Refusal(400, Code.outOfRange, 'query', `a stack's sum is ${value}, beyond 64 bits`)
      this.#builder.sample({ stack: stack as never, values: [value] })
    }
  }
}
