// What a query selected, summed by stack and at hand: the step that flame graphs, tops, sandwiches and diffs share.
import type { ValueColumns } from '@hearth/profile'
import { exactSelf, exactTotal } from '@hearth/profile'
import type { Measure, Temporality } from '../select/measure.ts'
import { isUniform, measure } from '../select/measure.ts'
import type { Query } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import { RunningQuery } from '../query.ts'
import type { Resident } from '../resident/residents.ts'
import type { Selection } from '../select/selection.ts'
import { resolve } from '../select/selection.ts'
import type { Grouping } from '../select/series-grouping.ts'
import { rootGrouping } from './stack-roots.ts'
import type { StackSums } from './stack-sums.ts'
import { stackSums } from './stack-sums.ts'

/** What an answer says of the values in it. */
export interface Measured {
  /** Empty where nothing was found. */
  readonly type: string
  readonly unit: string
  readonly temporality: Temporality
  /** How many profiles it was made of. */
  readonly profiles: number
  /** Whether a sample is among them whose own sum is beyond 64 bits and counts as their limit; only in spans. */
  readonly clamped: boolean
}

/** Stacks of which not everything is stored that names their frames: such frames have no name, or are not there. */
export interface Missing {
  readonly stacks: number
  /** What they have of the sum. */
  readonly self: bigint
}

export interface Weighed {
  readonly measured: Measured
  readonly missing: Missing
  readonly resident: Resident
  /** Numbers of resident stacks, row by row. One that is not stored is 0, which then comes more than once. */
  readonly stacks: Int32Array
  readonly sums: StackSums
  /** The sum of all, exact whatever its size. */
  readonly sum: bigint
}

/** `roots` are attributes whose values stacks are told apart by; see stack-roots.ts. */
export async function weigh(context: QueryContext, query: Query, roots: readonly string[] = []): Promise<Weighed> {
  const running = new RunningQuery(context.engine, query)
  const selection = await resolve(running)
  const [measured, sums] = await measuredSums(context, selection, await rootGrouping(selection, roots))
  const resident = context.residents.of(running.tenant)
  await resident.symbols.load(running, sums.ids)
  const stacks = resident.symbols.numbers(sums.ids)
  const missing = missingOf(resident, sums)
  running.checkSignal()
  return { measured: measuredOf(measured), missing, resident, stacks, sums, sum: sumOf(sums) }
}

export const NOTHING_MISSING: Missing = { stacks: 0, self: 0n }

/** Each of `ids` may come more than once, and then counts as one stack. */
export function missingOf(
  { symbols }: Resident,
  { ids, weight, exact }: Pick<StackSums, 'ids' | 'weight' | 'exact'>,
): Missing {
  const places = symbols.lacking(ids)
  if (places.length === 0) return NOTHING_MISSING
  const self = sumOf({
    weight: Float64Array.from(places, place => weight[place]),
    exact: exact && BigInt64Array.from(places, place => exact[place]),
  })
  const stacks = new Set(places.map(place => `${ids[2 * place]} ${ids[2 * place + 1]}`)).size
  return { stacks, self }
}

/** What is summed before it is known whether it can be, in the hope that it is as nearly always. */
const HOPED = { factors: new Map(), overflowed: false, temporality: 'unspecified' } as const

/**
 * Two queries to the engine, which take longer one after the other than side by side: whether it can be added up, and the
 * sums. Sums that were made too early are thrown away.
 */
async function measuredSums(
  context: QueryContext,
  selection: Selection,
  grouping: Grouping | undefined,
): Promise<[Measure, StackSums]> {
  const { temporalities } = context
  const { series, running } = selection
  // Of a trace there are few, in few of all series: to know in which is worth waiting for.
  const early = selection.bySpan
    ? !selection.isOfAll
    : isUniform(series) && !temporalities.haveCumulative(running.tenant)
  if (!early) {
    const measured = await measure(selection, temporalities)
    return [measured, await stackSums(selection, measured, grouping)]
  }
  const [measured, sums] = await Promise.all([
    measure(selection, temporalities),
    stackSums(selection, { series, ...HOPED }, grouping),
  ])
  const isAsHoped = measured.factors.size === 0 && !measured.overflowed && measured.temporality !== 'cumulative'
  return [measured, isAsHoped ? sums : await stackSums(selection, measured, grouping)]
}

export function measuredOf({ type, unit, temporality, profiles, clamped }: Measure): Measured {
  return { type, unit, temporality, profiles, clamped }
}

/** The sum of weights, exact whatever its size. */
export function sumOf({ weight, exact }: Pick<StackSums, 'weight' | 'exact'>): bigint {
  let near = 0
  for (let s = 0; s < weight.length; s++) near += weight[s]
  if (exact === undefined) return BigInt(near)
  let remainder = 0n
  for (let s = 0; s < exact.length; s++) remainder = BigInt.asIntN(64, remainder + exact[s])
  const column = Float64Array.of(near)
  const columnExact = BigInt64Array.of(remainder)
  return exactSelf({ self: column, total: column, selfExact: columnExact, totalExact: columnExact }, 0)
}

/** Whether a sum in the columns left the range of int64, so that its exact column holds only the remainder. */
export function overflows(columns: ValueColumns): boolean {
  const { selfExact, totalExact } = columns
  if (selfExact === undefined || totalExact === undefined) return false
  for (let i = 0; i < selfExact.length; i++) {
    if (exactSelf(columns, i) !== selfExact[i] || exactTotal(columns, i) !== totalExact[i]) return true
  }
  return false
}
