// All selected data as one profile. A complete profile has everything that was sent of its stacks: addresses, mappings,
// build ids, inlined calls, start lines. A merged profile for graphs has only files and lines.
import type { Dictionary, FrameTable, LocationIndex, Profiles, StackIndex } from '@hearth/profile'
import { PGO_CALLS, ProfilesBuilder, exactSelf, exactSum, exactTotal, innermostCalls } from '@hearth/profile'
import type { FlameGraph } from '../../query/trees/flame-graph.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import type { GoPgo } from '../messages/types-messages.ts'
import { presentProfiles } from '../../query/catalog/present-profiles.ts'
import { DictionaryCarrier } from '../../query/resident/dictionary-carrier.ts'
import { profilesWhere } from '../../query/select/profiles-where.ts'
import type { Query } from '../../query/query.ts'
import { RunningQuery } from '../../query/query.ts'
import type { Selection } from '../../query/select/selection.ts'
import { resolve } from '../../query/select/selection.ts'
import { Values } from '../../query/statement.ts'
import type { StackSums } from '../../query/trees/stack-sums.ts'
import { sumByStack } from '../../query/trees/summed-stacks.ts'
import type { QuerierContext } from './part-queries.ts'
import type { CutTree } from './name-tree.ts'
import { NameTree, OTHER_NAME } from './name-tree.ts'
import type { TimeRange } from './part-queries.ts'
import type { PyroscopeType } from './profile-type.ts'

/** The maximum number of calls in the whole profile: 80 MB. */
const MAX_CALLS = 20_000_000

export interface CompleteChoice {
  /** Reduces stacks to what the Go compiler uses: the innermost calls, and no line of the innermost function if callees are aggregated. */
  readonly goPgo?: GoPgo | undefined
  /** The number of nodes of the call tree. The others become a call of `other`. All unless given. */
  readonly maxNodes?: number | undefined
}

/** The stacks of all parts with everything that was sent of them. */
export async function completeProfile(
  context: QuerierContext,
  type: PyroscopeType,
  { from, to }: TimeRange,
  parts: readonly Query[],
  { goPgo, maxNodes }: CompleteChoice = {},
): Promise<Profiles> {
  const builder = new ProfilesBuilder()
  builder.profile({
    type: type.sampleType,
    unit: type.sampleUnit,
    periodType: type.periodType,
    periodUnit: type.periodUnit,
    period: await commonPeriod(context, parts),
    timeUnixNano: from,
    durationNano: to - from,
  })
  const tree = maxNodes === undefined ? undefined : new NameTree()
  const totals = new Map<StackIndex, bigint>()
  for (const query of parts) {
    const { resident, stacks, sums } = await sumByStack(context.queries, query)
    const { dictionary } = resident.symbols
    const carrier = new DictionaryCarrier(dictionary, builder)
    for (const row of byStackId(sums)) {
      const source = stacks[row] as StackIndex
      const value = exactSum(sums.weight[row], sums.exact?.[row])
      if (tree !== undefined) {
        tree.addPath(locationsOf(carrier, dictionary.stacks, source).map(String).reverse(), value)
        continue
      }
      const stack = carrier.stack(source)
      totals.set(stack, (totals.get(stack) ?? 0n) + value)
    }
    context.queries.residents.trim()
  }
  if (tree !== undefined && maxNodes !== undefined) addTree(builder, tree.cut(maxNodes))
  for (const [stack, value] of totals) {
    if (BigInt.asIntN(64, value) !== value)
      throw new Refusal(400, Code.outOfRange, 'query', `a stack's sum is ${value}, beyond 64 bits`)
    if (value !== 0n) builder.sample({ stack, values: [value] })
  }
  return goPgo === undefined ? builder.build() : reducedForGo(builder.build(), goPgo)
}

function reducedForGo(profile: Profiles, { keepLocations, aggregateCallees }: GoPgo): Profiles {
  const calls = keepLocations === 0 ? PGO_CALLS : keepLocations
  return innermostCalls(profile, [0], { calls, sumLeafLines: aggregateCallees })
}

function locationsOf(carrier: DictionaryCarrier, stacks: Dictionary['stacks'], stack: StackIndex): LocationIndex[] {
  const from = stacks.from(stack)
  return Array.from(
    { length: stacks.to(stack) - from },
    (_, k) => carrier.location(stacks.locations.at(from + k)) as LocationIndex,
  )
}

/** Adds a sample for each node with a value. The names of the nodes are locations of the builder. */
function addTree(builder: ProfilesBuilder, { nodes }: CutTree): void {
  const other = builder.location({ lines: [{ function: builder.function({ name: OTHER_NAME }) }] })
  const path: LocationIndex[] = []
  for (const { depth, name, self } of nodes) {
    path.length = Math.max(0, depth - 1)
    if (depth > 0) path.push(name === OTHER_NAME ? other : (Number(name) as LocationIndex))
    if (self[0] !== 0n) builder.sample({ stack: builder.stack(path.toReversed()), values: [self[0]] })
  }
}

/** Rows in the order of their stack ids, so that equal requests get equal files. */
function byStackId({ ids, length }: StackSums): Uint32Array {
  const rows = Uint32Array.from({ length }, (_, row) => row)
  return rows.sort((a, b) => ids[2 * a + 1] - ids[2 * b + 1] || ids[2 * a] - ids[2 * b])
}

/** The period of all profiles; 0 if they differ. */
async function commonPeriod({ engine }: QuerierContext, parts: readonly Query[]): Promise<bigint> {
  const periods = new Set<bigint>()
  for (const query of parts) {
    const selection = await resolve(new RunningQuery(engine, query))
    if (selection.series.length === 0) continue
    const held = await presentProfiles(selection, { ofSamples: true })
    for (const period of held?.map(({ form }) => form.period) ?? (await storedPeriods(selection))) periods.add(period)
  }
  const [period = 0n] = periods
  return periods.size === 1 ? period : 0n
}

/** At most two. */
async function storedPeriods(selection: Selection): Promise<bigint[]> {
  const values = new Values()
  const block = await selection.running.select(
    `SELECT DISTINCT period FROM profiles WHERE ${profilesWhere(selection, values)} LIMIT 2`,
    values.all,
  )
  return Array.from({ length: block.rows }, (_, row) => block.column('period').bigint(row))
}

/** `graphs` are the engine's trees of the parts, by line. Throws Refusal if the profile is too large. */
export function mergedProfile(type: PyroscopeType, { from, to }: TimeRange, graphs: readonly FlameGraph[]): Profiles {
  const builder = new ProfilesBuilder()
  builder.profile({
    type: type.sampleType,
    unit: type.sampleUnit,
    periodType: type.periodType,
    periodUnit: type.periodUnit,
    timeUnixNano: from,
    durationNano: to - from,
  })
  const sums = new TreeStacks(builder)
  for (const graph of graphs) sums.add(graph)
  sums.finish()
  return builder.build()
}

class TreeStacks {
  readonly #builder: ProfilesBuilder
  readonly #sums = new Map<number, bigint>()
  readonly #other: LocationIndex
  #calls = 0

  constructor(builder: ProfilesBuilder) {
    this.#builder = builder
    this.#other = builder.location({ lines: [{ function: builder.function({ name: OTHER_NAME }) }] })
  }

  add(graph: FlameGraph): void {
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
      this.#add(path, exactSelf(graph, i))
      this.#add([...path, this.#other], rest[i])
    }
    this.#add([this.#other], hidden)
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
